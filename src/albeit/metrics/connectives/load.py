"""Read lexicons: those in the package, or files of the same formats, and DiMLex XML files.

An inventory has a line per connective, with three columns between tabs: the connective, its
senses between commas, and what it isn't (``a while``) between bars. A lexicon has a line per
source connective and sense: the connective, the sense, and the translations between bars. In
brackets is the number of sentence pairs of a bitext with both, with a question mark if that
isn't more than by chance::

    although <tab> Comparison.Concession <tab> obwohl (182) | wobei (1?) | zwar … aber (13)

A line ``!`` lists forms that look like translations but aren't. The first lines, which
start with ``#:``, state the languages and the version: ``#: source=en target=de version=1``.

A lexicon from English into a language is also read in the other direction. Then every translation
that isn't doubtful is a source connective, with all senses under which it is listed.

A DiMLex file (connective-lex.info) lists the connectives of one language with their senses. The
other language must be English: each source connective may then be translated by every target
connective with a common sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath
from xml.etree import ElementTree

from albeit.errors import InputError, LanguageError
from albeit.languages import normalise
from albeit.metrics import connectives as lexicons
from albeit.metrics.connectives import Connective, Form, Inventory, Lexicon, Translation

DATA = files("albeit.metrics.connectives") / "lexicons" / "data"
"""The folder of the lexicons in the package."""
REVERSED = ("de", "fr", "it")
"""Languages whose lexicons are also read into English: they have counts of a bitext."""
_COUNT = re.compile(r"\((?P<count>\d++)(?P<doubt>\??)\)\Z")
_LONGEST_COUNT = 15
_LONGEST_SENSE = 200

_NAME = r"(?:(?:my|our)\s+)?\$(?P<name>\w+)\s*="
_FIRST = re.compile(rf"^\s*{_NAME}", re.MULTILINE)
_STATEMENT = re.compile(_NAME + r"""\s*(?P<quote>["'])(?P<value>[^"]*?)(?P=quote)\s*;""")
_SKIPPED = re.compile(r"(?:\s|#.*|use\s[\w:\s'-]+;|1;)+")
_NAMES = {"eventhough": "even though", "notyet": "not yet"}
_NAMES |= {n: n for n in ("although", "though", "since", "while", "meanwhile", "yet", "however")}
_SENSES = {
    "CONTRAST": "Comparison.Contrast",
    "CONCESSION": "Comparison.Concession",
    "TEMPORAL": "Temporal.Synchronous",
    "CAUSAL": "Contingency.Cause",
    "ADVERB": "Other.Adverb",
}
_KEY = re.compile(rf"({'|'.join(_NAMES)})({'|'.join(_SENSES)})?")
_NOT_READ = re.compile(r"[][*+?.{}\\$]")
_MOST = 10_000
"""Forms of one assignment: more are an error, because groups multiply."""
_HINT = 'Write one assignment per connective and sense: $sinceCAUSAL = "da|(um so|umso) mehr als";'


def pairs() -> list[str]:
    """Return the language pairs in the package: ``en-de`` …"""
    names = (item.name.removesuffix(".tsv") for item in DATA.iterdir())
    return sorted(name for name in names if "-" in name)


@cache
def inventory(language: str) -> Inventory:
    """Return the connectives of a source language that are in the package."""
    file = DATA / f"{normalise(language)}.tsv"
    if not file.is_file():
        raise LanguageError(
            f"there is no list of connectives for source language {language!r}; there is one for"
            f" en, and into English for {', '.join(REVERSED)}."
            " Give --source-lang en if the source is English."
        )
    header, rows = read_rows(file.read_text(encoding="utf-8"), file.name)
    known: dict[str, Connective] = {}
    for _, (name, senses, *cells) in rows:
        listed = tuple(map(lexicons.parse_sense, senses.split(",")))
        excluded = (Form.parse(item, language) for cell in cells for item in cell.split("|"))
        known[name] = Connective(name, Form.parse(name, language), listed, tuple(excluded))
    return Inventory(header["source"], known, header["version"])


@cache
def lexicon(source_lang: str, target_lang: str) -> Lexicon:
    """Return the lexicon of a language pair that is in the package."""
    pair = f"{normalise(source_lang)}-{normalise(target_lang)}"
    file = DATA / f"{pair}.tsv"
    if not file.is_file():
        raise LanguageError(
            f"there is no connective lexicon for {pair}; there are {', '.join(pairs())},"
            " and de-en, fr-en, it-en by inverting theirs."
            " Give your own: act(lexicon=FILE), or --lexicon FILE to 'albeit act'; or make one"
            " with 'albeit lexicon induce'."
        )
    return _lexicon(file.read_text(encoding="utf-8"), file.name)


@cache
def direction(source_lang: str, target_lang: str) -> tuple[Inventory, Lexicon]:
    """Return the connectives of a source language and their translations."""
    if normalise(target_lang) == "en" and normalise(source_lang) in REVERSED:
        return reverse(lexicon("en", source_lang))
    found = lexicon(source_lang, target_lang)
    return inventory(source_lang), found


def reverse(forward: Lexicon) -> tuple[Inventory, Lexicon]:
    """Return a lexicon from English as one into English."""
    entries: dict[Form, list[Translation]] = {}
    for english, each in forward:
        if not each.doubtful:
            form = Form.parse(english, forward.source_lang)
            translation = Translation(english, form, each.senses, each.count)
            entries.setdefault(each.form, []).append(translation)
    known = {str(form): Connective(str(form), form, ()) for form in forward.blocked}
    for form, listed in entries.items():
        senses = dict.fromkeys(sense for each in listed for sense in each.senses)
        known[str(form)] = Connective(str(form), form, tuple(senses))
    translations = {str(form): tuple(listed) for form, listed in entries.items()}
    languages = forward.target_lang, forward.source_lang
    backward = Lexicon(*languages, translations, version=forward.version)
    return Inventory(forward.target_lang, known, forward.version), backward


def supplied(path: str, languages: tuple[str, str]) -> tuple[Inventory, Lexicon]:
    """Return the connectives of the source and their translations, by a user's file."""
    source, target = map(normalise, languages)
    if not _bytes_of(path).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        text = text_of(path)
        if _FIRST.search(text):
            return _read_original(text, path, inventory(source), target)
        return inventory(source), _lexicon(text, path)
    if "en" not in (source, target):
        raise LanguageError(
            f"{path}: a DiMLex file needs English as the other language, not {source}-{target}."
            " Make a lexicon: albeit lexicon induce --dimlex FILE."
        )
    english = source == "en"
    given = read_dimlex(path, target if english else source)
    known, others = (inventory("en"), given) if english else (given, inventory("en"))
    entries: dict[str, tuple[Translation, ...]] = {}
    for name, connective in known.connectives.items():
        listed = (
            Translation(o.name, o.form, tuple(s for s in connective.senses if s in o.senses))
            for o in others.connectives.values()
        )
        if translations := tuple(t for t in listed if t.senses):
            entries[name] = translations
    if not entries:
        raise InputError(
            "no entry has a sense (PDTB) of a connective of the other language.", path=path
        )
    return known, Lexicon(source, target, entries, (), given.version)


def read_lexicon(path: str | Path) -> Lexicon:
    """Read a lexicon of translations."""
    return _lexicon(text_of(path), str(path))


def text_of(path: str | Path) -> str:
    """Return the text of a lexicon file."""
    try:
        return _bytes_of(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}.", path=path) from None


def _bytes_of(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the lexicon: {error.strerror}.", path=path) from None


def read_rows(text: str, path: str) -> tuple[dict[str, str], list[tuple[int, list[str]]]]:
    """Return the values of the header, and the rows with their line numbers."""
    header: dict[str, str] = {}
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#:"):
            header |= dict(item.partition("=")[::2] for item in line[2:].split())
        elif line.strip() and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) not in (2, 3):
                what = f"{len(cells)} columns instead of 3."
                hint = "Write one tab between columns."
                raise InputError(what, path=path, line=number, hint=hint)
            rows.append((number, cells))
    return header, rows


def _lexicon(text: str, path: str) -> Lexicon:
    header, rows = read_rows(text, path)
    for key in ("source", "target"):
        if key not in header:
            what = f"the first line does not give {key}=."
            hint = "Start the file with: #: source=en target=de version=1"
            raise InputError(what, path=path, line=1, hint=hint)
    target = header["target"]
    entries: dict[str, dict[Form, Translation]] = {}
    blocked: list[Form] = []
    for number, cells in rows:
        with _located(path, number):
            if cells[0] == "!":
                blocked += [Form.parse(item, target) for item, _, _ in items(cells[-1])]
                continue
            if len(cells) != 3:
                raise InputError("2 columns instead of 3: connective, sense, translations.")
            sense = lexicons.parse_sense(cells[1])
            known = entries.setdefault(cells[0], {})
            for item, count, doubtful in items(cells[2]):
                form = Form.parse(item, target)
                before = known.get(form)
                if before is None:
                    known[form] = Translation(item, form, (sense,), count, doubtful)
                elif sense in before.senses:
                    raise InputError(f"{item!r} is listed twice for {cells[0]!r} as {sense}.")
                else:
                    known[form] = replace(before, senses=(*before.senses, sense))
    listed = {name: tuple(translations.values()) for name, translations in entries.items()}
    return Lexicon(header["source"], target, listed, tuple(blocked), header.get("version", ""))


def items(cell: str) -> Iterator[tuple[str, int | None, bool]]:
    """Return the translations of a cell, their counts, and whether they are doubtful."""
    for item in map(str.strip, cell.split("|")):
        match = _COUNT.search(item)
        if match is None:
            yield item, None, False
            continue
        if len(match["count"]) > _LONGEST_COUNT:
            raise InputError(f"the count {match['count'][:20]}… is too large.")
        yield item[: match.start()].rstrip(), int(match["count"]), bool(match["doubt"])


@contextmanager
def _located(path: str, line: int) -> Iterator[None]:
    """Add file and line to an error raised inside."""
    try:
        yield
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(error.what, path=path, line=line, hint=error.hint) from None


def _read_original(
    text: str, path: str, inventory: Inventory, target: str
) -> tuple[Inventory, Lexicon]:
    """Return the English connectives, with "not yet" if it is listed, and their translations."""
    known = dict(inventory.connectives)
    entries: dict[str, dict[Form, Translation]] = {}
    for line, name, value in _statements(text, path):
        try:
            key = _KEY.fullmatch(name)
            if key is None:
                raise InputError(f"${name} is not a connective of ACT, with a sense or without.")
            source = _NAMES[key[1]]
            sense = "Temporal.Asynchronous" if name == "sinceTEMPORAL" else _SENSES.get(key[2], "")
            forms = [_original_form(item, target) for item in _expand(value) if item.strip()]
        except InputError as error:
            raise InputError(error.what, path=path, line=line, hint=_HINT) from None
        if source == "not yet" and forms:
            own = Form.parse(source, "en")
            known[source] = Connective(source, own, ("Other.Adverb",))
        for form in forms:
            listed = entries.setdefault(source, {})
            before = listed.get(form, Translation(str(form), form, ()))
            wider = before.form if form.initial else form
            senses = (*before.senses, sense) if sense else before.senses
            listed[form] = replace(before, form=wider, senses=tuple(dict.fromkeys(senses)))
    translations = {
        name: tuple(replace(t, senses=t.senses or known[name].senses) for t in listed.values())
        for name, listed in entries.items()
    }
    version = f"original:{PurePath(path).name}"
    return replace(inventory, connectives=known), Lexicon(
        inventory.language, target, translations, version=version
    )


def _statements(text: str, path: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the name, and the value of each assignment."""
    place = 0
    while place < len(text):
        if found := _SKIPPED.match(text, place):
            place = found.end()
            continue
        line = text.count("\n", 0, place) + 1
        found = _STATEMENT.match(text, place)
        if found is None:
            what = "is not a Perl assignment with quotes and a semicolon."
            raise InputError(what, path=path, line=line, hint=_HINT)
        yield line, found["name"], found["value"]
        place = found.end()


def _original_form(item: str, language: str) -> Form:
    """Return a form without parentheses and bars."""
    words = item.strip()
    form = Form.parse(words.removeprefix("^"), language)
    if "^" in words[1:] or _NOT_READ.search(words):
        raise InputError(f"the form {words!r} has a character that is not read.")
    return replace(form, initial=words.startswith("^"))


def _expand(pattern: str) -> list[str]:
    """Return the texts of a pattern of alternatives in groups."""
    stack: list[tuple[list[str], list[str]]] = [([], [""])]  # finished alternatives, present ones
    for token in re.findall(r"[()|]|[^()|]+", pattern):
        done, now = stack[-1]
        if token == "(":
            stack.append(([], [""]))
        elif token == "|":
            stack[-1] = ([*done, *now], [""])
        elif token != ")":
            stack[-1] = (done, [text + token for text in now])
        elif len(stack) > 1:
            stack.pop()
            outer, before = stack[-1]
            stack[-1] = (outer, [a + b for a in before for b in (*done, *now)])
        else:
            raise InputError("a parenthesis is not open.")
        if sum(map(len, stack[-1])) > _MOST:
            raise InputError(f"the groups make more than {_MOST} forms.")
    if len(stack) > 1:
        raise InputError("a parenthesis is not closed.")
    return [*stack[0][0], *stack[0][1]]


def read_dimlex(path: str | Path, language: str) -> Inventory:
    """Read the connectives of a DiMLex file: every spelling, with the senses of its entry.

    Senses that aren't of the PDTB are skipped, so an entry can have none.
    """
    found: dict[str, Connective] = {}
    for entry in _parse_dimlex(path).iter("entry"):
        senses = tuple(dict.fromkeys(_senses(entry)))
        for spelling in _spellings(entry):
            known = found.get(spelling)
            merged = tuple(dict.fromkeys((*known.senses, *senses))) if known else senses
            found[spelling] = Connective(spelling, Form.parse(spelling, language), merged)
    if not found:
        raise InputError("the lexicon has no entries.", path=path)
    return Inventory(language, found, f"dimlex:{Path(path).name}")


def _parse_dimlex(path: str | Path) -> ElementTree.Element:
    """Parse and check the XML of a DiMLex file."""
    data = _bytes_of(path)
    if b"<!ENTITY" in data:
        what = "declares entities of its own, which are not resolved."
        raise InputError(what, path=path, hint="Replace them by their text.")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # also the encoding
        raise InputError(f"not well-formed XML: {error}.", path=path) from None
    if root.tag != "dimlex":
        raise InputError(f"the root is <{root.tag}>, not <dimlex>.", path=path)
    for tag in ("entry", "orth"):
        for element in root.iter(tag):
            if any(inner is not element for inner in element.iter(tag)):
                raise InputError(f"an <{tag}> has another <{tag}> in it.", path=path)
    return root


def _senses(entry: ElementTree.Element) -> Iterator[str]:
    """Yield the PDTB senses of an entry: ``CONTINGENCY:Cause:result``, ``cause``, or with the third
    level after a hyphen (``concession-arg2-as-denier``)."""
    for relation in entry.iter():
        if relation.tag in ("pdtb3_relation", "pdtb_relation", "pdtb2_relation"):
            written = relation.get("sense", "").replace(":", ".").split("(")[0]
            while written and len(written) <= _LONGEST_SENSE:
                try:
                    yield lexicons.parse_sense(written)
                    break
                except InputError:
                    written = written.rpartition("-")[0]


def _spellings(entry: ElementTree.Element) -> list[str]:
    """Return every orthographic variant, with the parts of a discontinuous one separated."""
    spellings: dict[str, str] = {}
    for variant in entry.iter("orth"):
        parts = [(part.text or "").strip() for part in variant.iter("part")]
        text = f" {lexicons.GAP} ".join(part for part in parts if part)
        if text:
            spellings.setdefault(text.casefold(), text)
    word = entry.get("word", "").strip()
    return list(spellings.values()) or ([word] if word else [])
