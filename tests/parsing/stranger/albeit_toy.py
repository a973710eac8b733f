"""Swedish by toy rules, behind an interface like spaCy's: an annotator of another package."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from albeit.parsing.annotator import Annotator, Values
from albeit.parsing.layers import DEPENDENCIES, ENTITIES, Dependencies, Entity


class Word(NamedTuple):
    text: str
    pos_: str


def pipe(texts: Sequence[str]) -> Iterator[list[Word]]:
    """What ``spacy.load("sv_core_news_sm").pipe`` would give, much simplified."""
    for text in texts:
        forms = re.findall(r"\w+|[^\w\s]", text)
        yield [Word(form, "PROPN" if form[0].isupper() else "NOUN") for form in forms]


class Toy(Annotator):
    """Names are capitalised words; all words hang on the first."""

    name = "toy-swedish"
    languages = frozenset({"sv"})
    layers = (DEPENDENCIES, ENTITIES)
    version = "1.0"

    def analyse(self, texts: Sequence[str], layers: Any, lang: str) -> Iterator[Values]:
        for doc in pipe(texts):
            tags = tuple(word.pos_ for word in doc)
            heads = tuple(-1 if i == 0 else 0 for i in range(len(doc)))
            names = [i for i, tag in enumerate(tags) if tag == "PROPN"]
            yield {
                DEPENDENCIES: Dependencies(tags, heads, ("dep",) * len(doc)),
                ENTITIES: tuple(Entity("person", i, i + 1) for i in names),
            }


TOY = Toy()
