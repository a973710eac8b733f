"""WMT XML, used from 2021 on: documents with source, references, and systems in one file.

    <dataset id="newstest2021">
      <collection id="news">                         (optional)
        <doc id="guardian.1" origlang="en">
          <src lang="en"><p><seg id="1">…</seg></p></src>
          <ref lang="de" translator="A">…</ref>
          <hyp lang="de" system="Online-A">…</hyp>

The ``testsuite`` attribute of a document counts as its collection. Declared entities are an error:
they aren't part of the format, and a small file can expand to a huge one through them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from albeit.data.evalset import EvalSet, Kind, Lines
from albeit.data.files import File, read_bytes, shown
from albeit.data.markup import Collation, MarkedText
from albeit.data.textio import counted, decode, warn, write_text
from albeit.errors import InputError

_KINDS: dict[str, Kind] = {"src": "source", "ref": "reference", "hyp": "system"}
_OUTER = {"dataset": ("",), "collection": ("dataset",), "doc": ("dataset", "collection")}
_PARENTS = {**_OUTER, **dict.fromkeys(_KINDS, ("doc",)), "seg": tuple(_KINDS)}
"""Each element to those it can be in; other elements between them are ignored."""
_INNER = (*_OUTER, *_KINDS)
_ENCODING = re.compile(
    r"""<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-?8["']|us-?ascii["'])(.*?)["']""", re.I
)
_NOT_XML = re.compile("[\x00-\x08\n\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_xml(
    paths: Sequence[str], *, collection: str | None = None, unescape: bool = False, **choices: Any
) -> EvalSet:
    """Read one test set from XML files; ``choices`` are those of :class:`Collation`."""
    collation = Collation(**choices)
    known: dict[str, None] = {}
    for file in paths:
        root = _parse(file)
        _check_elements(root, shown(file))
        collation.label("name", root.get("id"), shown(file), root.sourceline)
        for document in root.iter("doc"):
            own = _describe(document, shown(file), collation)
            if own is not None:
                known[own] = None
            if collection in (None, own):
                _add_texts(document, shown(file), collation)
    path = ", ".join(map(shown, paths))
    if collection is not None and collection not in known:
        hint = f"It has: {', '.join(map(repr, known)) or 'none'}."
        raise InputError(f"has no collection {collection!r}.", path, hint=hint)
    return collation.evalset(path, unescape=unescape)


def _parse(file: File) -> Any:
    """Return the root element of a file without entities."""
    path = shown(file)
    text = decode(read_bytes(file), path)
    if encoding := _ENCODING.match(text):
        what = f"the declared encoding is {encoding[1]}, and must be UTF-8."
        raise InputError(what, path, 1, "Convert it, and change its first line.")
    only_text = {"resolve_entities": False, "remove_comments": True, "remove_pis": True}
    parser = etree.XMLParser(encoding="utf-8", no_network=True, **only_text)
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"is not well-formed XML: {error.msg}.", path, error.lineno) from None
    dtd = root.getroottree().docinfo.internalDTD
    for entity in (*(dtd.iterentities() if dtd is not None else ()), *root.iter(etree.Entity)):
        line = text.count("\n", 0, text.find("<!ENTITY")) + 1
        what = f"entity {entity.name!r} is declared in or outside this file; that is refused."
        raise InputError(what, path, line, "Write characters as they are.")
    return root


def _check_elements(root: Any, path: str) -> None:
    """Raise for an element where it can't be; warn about what isn't read."""
    unknown: Counter[str] = Counter()
    outside = 0
    for element in root.iter():
        tag, line = element.tag, element.sourceline
        parent = next((each.tag for each in element.iterancestors(*_PARENTS)), "")
        if parent not in _PARENTS.get(tag, _INNER):
            what, hint = f"element {tag!r} cannot be in {parent!r}.", ""
            if not parent:
                what = f"begins with {tag!r}."
                hint = "For SGML with srcset, refset, or tstset, name the format sgml."
            raise InputError(what, path, line, hint)
        if tag not in _PARENTS and tag != "p":
            unknown[tag] += 1
        texts = (element.text if tag != "seg" else "", element.tail)
        outside += sum(bool(text and text.strip()) for text in texts)
    if unknown:
        count, names = unknown.total(), ", ".join(sorted(unknown))
        warn(f"{counted(count, 'unknown element')} ignored: {names}.", path=path, count=count)
    if outside:
        warn("text outside segments was ignored.", path=path, count=outside)


def _describe(document: Any, path: str, collation: Collation) -> str | None:
    """Record the attributes of a document; return its collection."""
    name = document.get("id")
    if not name:
        raise InputError("the document has no id.", path, document.sourceline)
    collation.describe(name, document.get("origlang"), document.get("domain"))
    outer: list[str | None] = [each.get("id") for each in document.iterancestors("collection")]
    return document.get("testsuite") or (outer[0] if outer else None)


def _add_texts(document: Any, path: str, collation: Collation) -> None:
    """Add the texts of a document to the collation."""
    for element in document.iter(*_KINDS):
        tag, line = element.tag, element.sourceline
        names = {"src": "", "ref": element.get("translator") or "ref"}
        name = names.get(tag, element.get("system") or "")
        if not name and tag == "hyp":
            raise InputError("the translation has no system attribute.", path, line)
        side = "source_lang" if tag == "src" else "target_lang"
        collation.label(side, element.get("lang"), path, line)
        text = MarkedText(_KINDS[tag], name, document.get("id"), path, line)
        for segment in element.iter("seg"):
            text.add(segment.get("id"), segment.text or "", segment.sourceline)
        collation.add(text)


def write_xml(evalset: EvalSet, path: Path) -> None:
    """Write one file: every document with its source, references, and systems."""
    target = f" lang={_quote(evalset.target_lang)}"
    texts: list[tuple[str, str, Lines]] = []
    if evalset.source is not None:
        lang = f" lang={_quote(evalset.source_lang)}" if evalset.source_lang else ""
        texts.append(("src", lang, evalset.source))
    references, systems = evalset.references.items(), evalset.systems.items()
    texts += [("ref", f"{target} translator={_quote(name)}", lines) for name, lines in references]
    texts += [("hyp", f"{target} system={_quote(name)}", lines) for name, lines in systems]
    out = [f'<?xml version="1.0" encoding="utf-8"?>\n<dataset id={_quote(evalset.name)}>\n']
    for document in evalset.documents:
        domain = f" domain={_quote(document.domain)}" if document.domain else ""
        out.append(f"  <doc id={_quote(document.id)}{domain}>\n")
        for tag, attributes, lines in texts:
            out.append(f"    <{tag}{attributes}>\n      <p>\n")
            for number, line in enumerate(lines[document.rows], 1):
                out.append(f'        <seg id="{number}">{_escape(line)}</seg>\n')
            out.append(f"      </p>\n    </{tag}>\n")
        out.append("  </doc>\n")
    write_text("".join([*out, "</dataset>\n"]), path)


def _escape(text: str) -> str:
    match = _NOT_XML.search(text)
    if match:
        raise InputError(f"XML cannot hold U+{ord(match[0]):04X} in {text[:60]!r}.")
    return escape(text, {"\r": "&#13;"})


def _quote(text: str) -> str:
    if not text:
        raise InputError("XML needs a name that is not empty for every text and document.")
    _escape(text)
    return quoteattr(text, {"\r": "&#13;"})
