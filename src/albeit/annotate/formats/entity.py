"""Coreference in CoNLL-U: brackets in the column MISC, as GUM and CorefUD write them.

``Entity=(e1-person-2-sing-anim-fem`` opens a mention of entity ``e1``, whose second word is its
head; ``e1)`` closes it. What the text does not tell is empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from albeit.annotate.layers import Cluster, Mention

__all__ = ["ENTITY_FIELDS", "entity_marks"]

ENTITY_FIELDS = "eid-etype-head-number-animacy-gender"
_SHORT = {
    "singular": "sing",
    "plural": "plur",
    "animate": "anim",
    "inanimate": "inan",
    "masculine": "masc",
    "feminine": "fem",
    "neuter": "neut",
}


def entity_marks(clusters: Sequence[Cluster]) -> dict[int, str]:
    """What stands at each word: brackets that close, then those that open."""
    named = [(f"e{k}", cluster) for k, cluster in enumerate(clusters, 1)]
    mentions = [(m, name, cluster) for name, cluster in named for m in cluster.mentions]
    # an outer mention opens first and closes last
    mentions.sort(key=lambda each: (each[0].start, -each[0].stop))
    opens: dict[int, str] = {}
    for mention, name, cluster in mentions:
        end = ")" if mention.stop == mention.start + 1 else ""
        mark = f"({_fields(mention, name, cluster)}{end}"
        opens[mention.start] = opens.get(mention.start, "") + mark
    closes: dict[int, str] = {}
    for mention, name, _ in reversed(mentions):
        if mention.stop > mention.start + 1:
            last = mention.stop - 1
            closes[last] = closes.get(last, "") + f"{name})"
    return {word: closes.get(word, "") + opens.get(word, "") for word in {*opens, *closes}}


def _fields(mention: Mention, name: str, cluster: Cluster) -> str:
    traits = (_SHORT.get(trait, "") for trait in (cluster.number, cluster.animacy, cluster.gender))
    return "-".join([name, cluster.kind, str(mention.head - mention.start + 1), *traits])
