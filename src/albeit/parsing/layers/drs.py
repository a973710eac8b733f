"""Boxes of discourse representation theory, built by rule from dependencies and roles.

A box (DRS; Kamp and Reyle 1993) has referents and conditions. It is built top down over the
dependency tree: nouns, pronouns, and names introduce individuals, and predicates introduce events.
Modifiers and arguments become conditions on them. Negation, conditionals, universal quantifiers,
modality, reported clauses, and disjunction open inner boxes. It covers what the metrics compare.
Unlike the boxes of a semantic parser such as Boxer, scope follows the tree, anaphora are not
resolved, and words are not sense-tagged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from albeit.parsing.layers.segments import DEPENDENCIES, ROLES, TOKENS
from albeit.parsing.needs import Analysis, Layer, Row


@dataclass(frozen=True)
class Condition(Row):
    """A condition of a box: its type, symbol, arguments, the tokens it rests on, inner boxes."""

    type: str
    symbol: str = ""
    arguments: tuple[str, ...] = ()
    tokens: tuple[int, ...] = ()
    boxes: tuple[Box, ...] = ()


@dataclass
class Box:
    """A DRS: referents and the conditions on them."""

    referents: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)

    def add(
        self, kind: str, symbol: str, arguments: tuple[str, ...], tokens: list[int], *boxes: Box
    ) -> None:
        """Add a condition."""
        self.conditions.append(Condition(kind, symbol, arguments, tuple(tokens), boxes))

    def walk(self) -> Iterator[Condition]:
        """Yield all conditions, those of inner boxes after their own."""
        for condition in self.conditions:
            yield condition
            for box in condition.boxes:
                yield from box.walk()

    def __str__(self) -> str:
        """Return box notation in text: ``[x1 e1 | bank(x1), lend(e1), ARG0(e1,x1)]``."""
        inside = (", ".join([*c.arguments, *map(str, c.boxes)]) for c in self.conditions)
        names = (c.symbol or c.type for c in self.conditions)
        shown = map("{}({})".format, names, inside)
        return f"[{' '.join(self.referents)} | {', '.join(shown)}]"


class _Drs(Layer[Box]):
    name = "drs"
    rests_on = (TOKENS, DEPENDENCIES, ROLES)
    derived = True

    def derive(self, analysis: Analysis) -> Box:
        return _Builder(analysis).build()

    def render(self, value: Box, analysis: Analysis) -> Iterator[str]:
        yield str(value)


DRS = _Drs()

NEGATION = frozenset({"not", "n't", "nt", "never", "no", "neither", "nor", "nobody", "nothing"})
UNIVERSAL = frozenset({"every", "each", "all", "any"})
POSSIBLE = frozenset({"can", "could", "may", "might", "ca"})
NECESSARY = frozenset({"must", "should", "shall", "ought", "need"})
FUTURE = frozenset({"will", "wo", "'ll", "shall"})
PAST_AUX = frozenset({"was", "were", "had", "did"})
CONDITIONAL = frozenset({"if", "unless", "when", "whenever"})
NOMINAL = frozenset({"NOUN", "PRON", "PROPN", "NUM", "SYM", "X"})
CLAUSAL = frozenset({"ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis"})
GRAMMATICAL = frozenset({"punct", "aux", "cop", "mark", "cc", "compound", "case", "det"})
GRAMMAR_ROLES = {"nsubj": "ARG0", "obj": "ARG1", "iobj": "ARG2", "csubj": "ARG0"}


TYPES = (
    *("entity", "event", "property", "named", "card", "role", "relation", "time"),
    *("not", "imp", "pos", "nec", "prop", "or"),
)
"""Types of conditions; those of the second line have boxes inside."""


class _Builder:
    """Walks one dependency tree; keeps counters, so that referents are numbered by kind."""

    def __init__(self, analysis: Analysis) -> None:
        deps = analysis[DEPENDENCIES]
        self.upos, self.heads = deps.upos, deps.heads
        self.relations = [relation.partition(":")[0] for relation in deps.relations]
        self.words = [form.lower() for form in analysis[TOKENS].forms]
        self.children: list[list[int]] = [[] for _ in self.words]
        for token, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(token)
        self.roles: dict[tuple[int, int], str] = {}
        for predicate in analysis[ROLES]:
            for role, start, stop in predicate.arguments:
                self.roles[predicate.token, self._head(start, stop)] = role
        self.counts: Counter[str] = Counter()

    def build(self) -> Box:
        """Return one box with all sentences."""
        box = Box()
        for token, head in enumerate(self.heads):
            if head < 0:
                self._clause(token, box)
        return box

    def _head(self, start: int, stop: int) -> int:
        """Return the token of a span whose head is outside of it."""
        outside = (t for t in range(start, stop) if not start <= self.heads[t] < stop)
        return next(outside, start)

    def _new(self, kind: str, box: Box) -> str:
        """Add a referent to a box."""
        self.counts[kind] += 1
        box.referents.append(f"{kind}{self.counts[kind]}")
        return box.referents[-1]

    def _of(self, token: int, *relations: str) -> list[int]:
        return [c for c in self.children[token] if self.relations[c] in relations]

    def _marked(self, token: int, words: Collection[str], *relations: str) -> list[int]:
        return [c for c in self._of(token, *relations) if self.words[c] in words]

    def _join(self, tokens: Iterable[int]) -> str:
        return "_".join(self.words[token] for token in tokens)

    # Clauses: an event, and the boxes that its operators open.

    def _clause(self, head: int, box: Box) -> str:
        """Add a clause to a box, inside the boxes that its conditionals and operators open."""
        for clause in self._of(head, "advcl"):
            marks = self._marked(clause, CONDITIONAL, "mark", "advmod")
            if marks:
                before, after = Box(), Box()
                self._clause(clause, before)
                event = self._operators(head, after)
                box.add("imp", self.words[marks[0]], (), marks, before, after)
                return event
        return self._operators(head, box)

    def _operators(self, head: int, box: Box) -> str:
        """Open a box for each negation, modality, and universal quantifier of a clause."""
        negations = self._marked(head, NEGATION, "advmod", "det", "cc", "nsubj", "obj")
        for noun in self._of(head, "nsubj", "obj"):
            negations += self._marked(noun, NEGATION, "det")
        possible = self._marked(head, POSSIBLE, "aux")
        necessary = self._marked(head, NECESSARY, "aux")
        for kind, tokens in (("not", negations), ("pos", possible), ("nec", necessary)):
            if tokens:
                inner = Box()
                box.add(kind, "", (), tokens, inner)
                box = inner
        subjects = self._of(head, "nsubj")
        quantifiers = [d for s in subjects for d in self._marked(s, UNIVERSAL, "det")]
        if not quantifiers:
            return self._event(head, box, {})
        restrictor, scope = Box(), Box()
        known = {subjects[0]: self._individual(subjects[0], restrictor)}
        box.add("imp", self.words[quantifiers[0]], (), quantifiers, restrictor, scope)
        return self._event(head, scope, known)

    def _event(self, head: int, box: Box, known: dict[int, str]) -> str:
        """Add the event of a predicate with its time, arguments, and modifiers."""
        event = self._new("e", box)
        tokens = [head, *(self._of(head, "compound") if self.upos[head] == "VERB" else [])]
        kind = "event" if self.upos[head] in ("VERB", "AUX") else "property"
        box.add(kind, self._join(tokens), (event,), tokens)
        self._time(head, event, box)
        for child in self.children[head]:
            self._dependent(head, event, child, box, known)
        return event

    def _time(self, head: int, event: str, box: Box) -> None:
        auxiliaries = self._of(head, "aux", "cop")
        future = [a for a in auxiliaries if self.words[a] in FUTURE]
        past = [a for a in auxiliaries if self.words[a] in PAST_AUX]
        if not auxiliaries and self.upos[head] == "VERB" and self.words[head].endswith("ed"):
            past = [head]
        if future or past:
            box.add("time", "future" if future else "past", (event,), future or past)

    def _dependent(self, head: int, event: str, child: int, box: Box, done: dict[int, str]) -> None:
        """Add what one dependent contributes to its predicate's box."""
        relation = self.relations[child]
        if relation in GRAMMATICAL:
            return
        if relation == "conj":
            self._conjunct(child, box)
        elif relation in CLAUSAL:
            self._subordinate(head, event, child, box)
        elif relation == "advmod":
            if self.words[child] not in NEGATION:
                box.add("property", self.words[child], (event,), [child])
        elif self.upos[child] in NOMINAL or relation in ("nsubj", "obj", "iobj", "obl", "nmod"):
            individual = done.get(child) or self._individual(child, box)
            role = self.roles.get((head, child)) or GRAMMAR_ROLES.get(relation)
            if role:
                box.add("role", role, (event, individual), [child])
            else:
                self._relate(child, (event, individual), box)

    def _relate(self, child: int, arguments: tuple[str, str], box: Box) -> None:
        """Add a relation, named by the dependent's prepositions if it has any."""
        cases = self._of(child, "case")
        symbol = self._join(cases) or self.relations[child]
        box.add("relation", symbol, arguments, [*cases, child])

    def _conjunct(self, child: int, box: Box) -> None:
        """Add a conjoined clause: in a box of its own after "or"."""
        alternatives = self._marked(child, ("or",), "cc")
        if not alternatives:
            self._clause(child, box)
            return
        inner = Box()
        self._clause(child, inner)
        box.add("or", "or", (), alternatives, inner)

    def _subordinate(self, head: int, event: str, child: int, box: Box) -> None:
        """Add a clause inside a clause: reported ones in a box, others linked to the event."""
        relation = self.relations[child]
        if relation == "advcl" and self._marked(child, CONDITIONAL, "mark", "advmod"):
            return  # the antecedent of a conditional, built by _clause
        if relation in ("ccomp", "csubj", "parataxis"):
            inner = Box()
            self._clause(child, inner)
            box.add("prop", "", (event,), [child], inner)
            return
        other = self._clause(child, box)
        marks = self._of(child, "mark")
        role = self.roles.get((head, child))
        symbol = role or self._join(marks) or relation
        box.add("role" if role else "relation", symbol, (event, other), [*marks, child])

    # Individuals: what a noun phrase adds.

    def _individual(self, head: int, box: Box) -> str:
        """Return the referent of a noun phrase, with its name, number, and properties."""
        referent = self._new("x", box)
        parts = sorted([head, *self._of(head, "flat", "compound", "fixed")])
        kind = "named" if self.upos[head] == "PROPN" else "entity"
        box.add(kind, self._join(parts), (referent,), parts)
        for child in self.children[head]:
            relation = self.relations[child]
            if relation in ("nummod", "amod", "advmod"):
                kind = "card" if relation == "nummod" else "property"
                box.add(kind, self.words[child], (referent,), [child])
            elif relation == "conj":
                self._individual(child, box)
            elif relation in ("nmod", "appos", "obl"):
                self._relate(child, (referent, self._individual(child, box)), box)
            elif relation in ("acl", "advcl"):
                event = self._clause(child, box)
                box.add("relation", relation, (event, referent), [child])
        return referent
