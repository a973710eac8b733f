"""A reader for CoNLL-U: words with integer ids, the columns we train on, and comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from training.rows import Row


@dataclass(slots=True)
class Sentence:
    """One CoNLL-U sentence; heads are 1-based, 0 is the root."""

    comments: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)
    misc: list[str] = field(default_factory=list)

    def row(self, source: str, genre: str) -> Row:
        """The row with this sentence's words and syntax."""
        row = Row(self.comments["sent_id"], source, genre, self.words)
        row.upos, row.xpos, row.heads, row.rels = self.upos, self.xpos, self.heads, self.rels
        return row


def read(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a file; multiword-token and empty-node lines are skipped."""
    sentence = Sentence()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line:
                if sentence.words:
                    yield sentence
                sentence = Sentence()
            elif line.startswith("#"):
                key, _, value = line[1:].partition("=")
                sentence.comments[key.strip()] = value.strip()
            else:
                fields = line.split("\t")
                if not fields[0].isdigit():
                    continue
                sentence.words.append(fields[1])
                sentence.upos.append(fields[3])
                sentence.xpos.append(fields[4])
                sentence.heads.append(int(fields[6]))
                sentence.rels.append(fields[7])
                sentence.misc.append(fields[9])
    if sentence.words:
        yield sentence
