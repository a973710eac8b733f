"""JSON lines: one object a text with all its layers, and back without loss."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from albeit.annotate.layers import (
    Analysis,
    Connective,
    Constituent,
    Dependencies,
    Entity,
    Predicate,
    RstNode,
    Tokens,
    Vectors,
)
from albeit.errors import InputError

__all__ = ["from_object", "read_json", "to_object", "write_json"]


def write_json(analyses: Iterable[Analysis]) -> Iterator[str]:
    """One line a text."""
    for analysis in analyses:
        yield json.dumps(to_object(analysis), ensure_ascii=False, separators=(",", ":")) + "\n"


def read_json(text: str, *, path: str | Path | None = None) -> list[Analysis]:
    """All texts of a file of JSON lines, in order; empty lines are skipped."""
    analyses = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            analyses.append(from_object(json.loads(line)))
        except json.JSONDecodeError as error:
            raise InputError(f"not JSON: {error.msg}.", path=path, line=number) from None
        except InputError as error:
            raise InputError(error.what, path=path, line=number) from None
    return analyses


def to_object(analysis: Analysis) -> dict[str, Any]:
    """An analysis as plain JSON values; layers that were not annotated are left out."""
    out: dict[str, Any] = {"text": analysis.text}
    if analysis.tokens is not None:
        out["tokens"] = list(analysis.tokens.forms)
        out["offsets"] = [list(span) for span in analysis.tokens.offsets]
    if analysis.sentences is not None:
        out["sentences"] = [list(span) for span in analysis.sentences]
    if analysis.edus is not None:
        out["edus"] = [list(span) for span in analysis.edus]
    if analysis.rst is not None:
        out["rst"] = _rst_object(analysis.rst)
    if analysis.dependencies is not None:
        deps = analysis.dependencies
        out["dependencies"] = {
            "upos": list(deps.upos),
            "heads": list(deps.heads),
            "relations": list(deps.relations),
        }
    if analysis.constituents is not None:
        out["constituents"] = [_constituent_object(tree) for tree in analysis.constituents]
    if analysis.roles is not None:
        out["roles"] = [
            {"token": p.token, "arguments": [list(argument) for argument in p.arguments]}
            for p in analysis.roles
        ]
    if analysis.connectives is not None:
        out["connectives"] = [
            {"tokens": list(c.tokens), "sense": c.sense} for c in analysis.connectives
        ]
    if analysis.entities is not None:
        out["entities"] = [[e.kind, e.start, e.stop] for e in analysis.entities]
    if analysis.vectors is not None:
        rows = np.ascontiguousarray(analysis.vectors.rows, dtype="<f4")
        out["vectors"] = {
            "words": analysis.vectors.words.tolist(),
            "shape": list(rows.shape),
            "float32": base64.b64encode(rows.tobytes()).decode("ascii"),
        }
    return out


def _rst_object(node: RstNode) -> dict[str, Any]:
    if node.is_leaf:
        return {"edu": node.first}
    children = [_rst_object(child) for child in node.children()]
    return {"nuclearity": node.nuclearity, "relation": node.relation, "children": children}


def _constituent_object(tree: Constituent) -> list[Any]:
    children = [_constituent_object(child) for child in tree.children]
    return [tree.label, tree.start, tree.stop, *([children] if children else [])]


def from_object(data: Any) -> Analysis:
    """The analysis of such an object; raises ``InputError`` where it is not one."""
    try:
        return _analysis(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise InputError(f"not an analysis as albeit writes it ({error!r}).") from None


def _analysis(data: dict[str, Any]) -> Analysis:
    text = str(data["text"])
    tokens = None
    if "tokens" in data:
        tokens = Tokens(tuple(map(str, data["tokens"])), _spans(data["offsets"]))
        if len(tokens.forms) != len(tokens.offsets):
            raise InputError(f"{len(tokens.forms)} tokens have {len(tokens.offsets)} offsets.")
    deps = None
    if "dependencies" in data:
        raw = data["dependencies"]
        deps = Dependencies(tuple(raw["upos"]), tuple(raw["heads"]), tuple(raw["relations"]))
        if not len(deps.upos) == len(deps.heads) == len(deps.relations) == len(tokens or ()):
            raise InputError("dependencies need one part of speech, head and relation a token.")
    return Analysis(
        text,
        tokens=tokens,
        sentences=_spans(data["sentences"]) if "sentences" in data else None,
        edus=_spans(data["edus"]) if "edus" in data else None,
        rst=_rst(data["rst"]) if "rst" in data else None,
        dependencies=deps,
        constituents=tuple(map(_constituent, data["constituents"]))
        if "constituents" in data
        else None,
        roles=tuple(
            Predicate(p["token"], tuple((str(r), int(a), int(b)) for r, a, b in p["arguments"]))
            for p in data["roles"]
        )
        if "roles" in data
        else None,
        connectives=tuple(Connective(tuple(c["tokens"]), c["sense"]) for c in data["connectives"])
        if "connectives" in data
        else None,
        entities=tuple(Entity(str(k), int(a), int(b)) for k, a, b in data["entities"])
        if "entities" in data
        else None,
        vectors=_vectors(data["vectors"]) if "vectors" in data else None,
    )


def _spans(data: list[Any]) -> tuple[tuple[int, int], ...]:
    return tuple((int(a), int(b)) for a, b in data)


def _rst(data: dict[str, Any]) -> RstNode:
    if "edu" in data:
        return RstNode(int(data["edu"]), int(data["edu"]))
    left, right = (_rst(child) for child in data["children"])
    if data["nuclearity"] not in ("NS", "SN", "NN") or left.last + 1 != right.first:
        raise InputError(
            f"no RST node: {data['nuclearity']!r} over EDUs {left.first + 1} to {right.last + 1}."
        )
    return RstNode(left.first, right.last, data["nuclearity"], str(data["relation"]), left, right)


def _constituent(data: list[Any]) -> Constituent:
    label, start, stop, *children = data
    inner = tuple(map(_constituent, children[0])) if children else ()
    return Constituent(str(label), int(start), int(stop), inner)


def _vectors(data: dict[str, Any]) -> Vectors:
    rows = np.frombuffer(base64.b64decode(data["float32"]), dtype="<f4").reshape(data["shape"])
    return Vectors(rows.astype(np.float32), np.asarray(data["words"], dtype=np.int32))
