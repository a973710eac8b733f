"""Write the training data of the models of flagged errors, for ``training.flags.fit``.

    python research/experiments/flags.py FILE

A word is *supported* if two of newstest20's three experts marked a short span that overlaps it.
Models are trained on newstest20, and on words of newstest20, WMT13, and WMT23 that readers judged:
a development sample and the earlier blind reviews (``flagged.tsv``). The script that drew these is
in commit aefd99ff; ``blind.py`` draws a review of other sets.

newstest20 gives the words of a span, not its place: spans that occur twice in the line aren't used,
nor are omissions, punctuation, and spans of more than five words.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from _common import arguments, judged, judged_set, rows_of, shared_folder, uncertain

from albeit.data import EvalSet
from albeit.diagnose.candidates import Candidate
from albeit.diagnose.evidence import Pieces, gather
from albeit.diagnose.flags import KINDS, candidates
from training.flags.fit import EVIDENCE

BLOCK = 64
LONGEST = 5
N20 = "judgments/newstest20-mqm/zh-en"
READ = Path(__file__).parents[1] / "training" / "flags" / "read.tsv"
FLAGGED = Path(__file__).with_name("flagged.tsv")
Place = tuple[str, str, int, int]
"""Kind, system, line (from 0), first character."""
Marks = Mapping[tuple[str, int], Mapping[str, list[tuple[int, int]]]]
"""By system and line (from 0): the characters that each expert marked."""
_IGNORED = ("omission", "punctuation", "no-error", "non-translation")


def collect(drawn: Sequence[Candidate], evalset: EvalSet) -> Iterator[tuple[Candidate, Pieces]]:
    """Yield candidates with their evidence, by rules and by networks."""
    for start in range(0, len(drawn), BLOCK):
        print(f"{evalset.name}: {start} of {len(drawn)}", file=sys.stderr, flush=True)
        block = drawn[start : start + BLOCK]
        yield from zip(block, gather(block, evalset, weighted=EVIDENCE.__getitem__), strict=True)


def read_sets(data: Path) -> dict[str, EvalSet]:
    """Read the sets whose candidates are read one by one."""
    return {
        "newstest20": judged(shared_folder(data, N20)).evalset,
        "wmt13": judged_set(data, "wmt13", "de-en").evalset,
        "wmt23": judged(shared_folder(data, "discourse/wmt23-mqm/zh-en")).evalset,
    }


def only(evalset: EvalSet, keep: Callable[[str], bool]) -> EvalSet:
    """Return the set with blank translations outside some documents."""
    kept = [keep(name) for name in evalset.document_ids()]
    systems: dict[str, tuple[str, ...]] = {}
    for name, lines in evalset.systems.items():
        systems[name] = tuple(line if k else "" for line, k in zip(lines, kept, strict=True))
    return replace(evalset, systems=systems)


def marks_of(folder: Path, evalset: EvalSet) -> Marks:
    """Read the marks of ``errors.tsv`` that can be placed."""
    found: dict[tuple[str, int], dict[str, list[tuple[int, int]]]]
    found = defaultdict(lambda: defaultdict(list))
    unsure = uncertain(folder)
    for row in rows_of(folder / "errors.tsv"):
        system, line, span = row["system"], int(row["segment"]) - 1, row["span"].strip()
        category = f"{row['category']}/{row.get('subcategory') or ''}".lower()
        if (
            system not in evalset.systems
            or (system, line) in unsure
            or row.get("side", "target") != "target"
            or any(name in category for name in _IGNORED)
            or len(span.split()) > LONGEST
            or not any(map(str.isalnum, span))
        ):
            continue
        text = evalset.systems[system][line]
        if text.count(span) == 1:
            start = text.index(span)
            found[system, line][row["rater"]].append((start, start + len(span)))
    return found


def support(marks: Marks, one: Candidate) -> int:
    """Return how many experts marked something that overlaps these words."""
    spans = marks.get((one.system, one.line), {}).values()
    return sum(any(a < one.end and b > one.start for a, b in own) for own in spans)


def readings() -> dict[str, dict[Place, str]]:
    """Return what readers judged, by set; of two readers, what the first one found."""
    found: dict[str, dict[Place, str]] = defaultdict(dict)
    for row in (*rows_of(FLAGGED), *rows_of(READ)):
        place = row["kind"], row["system"], int(row["segment"]) - 1, int(row["start"])
        found[row["set"]].setdefault(place, row["found"])
    return found


def write(data: Path, path: Path) -> None:
    """Write marked candidates of newstest20, and those that were read."""
    judged = readings()
    folder = shared_folder(data, N20)
    with path.open("w", encoding="utf-8") as out:
        for name, whole in read_sets(data).items():
            ids, own = whole.document_ids(), judged[name]
            marked = name == "newstest20"
            named = {ids[line] for _, _, line, _ in own}
            evalset = whole if marked else only(whole, named.__contains__)
            marks = marks_of(folder, evalset) if marked else {}
            places = {(c.kind, c.system, c.line, c.start): c for c in candidates(evalset, KINDS)}
            drawn = [one for place, one in places.items() if marked or place in own]
            drawn.sort(key=lambda one: (one.line, one.system, one.kind, one.start))
            for one, pieces in collect(drawn, evalset):
                row = {
                    "kind": one.kind,
                    "set": name,
                    "system": one.system,
                    "document": ids[one.line],
                    "segment": one.line + 1,
                    "start": one.start,
                    "evidence": pieces,
                    "experts": support(marks, one) if marked else None,
                    "found": own.get((one.kind, one.system, one.line, one.start)),
                }
                out.write(json.dumps(row) + "\n")


def main() -> None:
    """Write the training data."""
    parser = arguments(__doc__ or "")
    parser.add_argument("file", type=Path)
    args = parser.parse_args()
    write(args.data, args.file)


if __name__ == "__main__":
    main()
