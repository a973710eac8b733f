"""Boxes of discourse representation theory, built by rule from dependencies and roles.

A box (DRS; Kamp and Reyle 1993) has referents and conditions. Ours is built top down over
the dependency tree: nouns, pronouns and names introduce individuals, predicates introduce
events; modifiers and arguments become conditions on them; negation, conditionals,
universal quantifiers, modality, reported clauses and disjunction open boxes of their own.
It covers what the metrics compare. It is our construction, not that of a semantic parser
such as Boxer: scope follows the tree, anaphora are not resolved, words are not sense-tagged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from albeit.parsing.layers.base import Analysis, Layer, Row
from albeit.parsing.layers.segments import DEPENDENCIES, ROLES, TOKENS


@dataclass(frozen=True)
class Condition(Row):
    """One condition of a box: its type, symbol, arguments, the tokens it rests on, inner boxes."""

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

    def walk(self) -> Iterator[Condition]:
        """All conditions, those of inner boxes after their own."""
        for condition in self.conditions:
            yield condition
            for box in condition.boxes:
                yield from box.walk()

    def __str__(self) -> str:
        """Box notation in text: ``[x1 e1 | bank(x1), lend(e1), ARG0(e1,x1)]``."""
        shown = []
        for c in self.conditions:
            inside = ", ".join([*c.arguments, *map(str, c.boxes)])
            shown.append(f"{c.symbol or c.type}({inside})")
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
        self.counts: dict[str, int] = {}

    def build(self) -> Box:
        """Return one box with all sentences."""
        box = Box()
        for token, head in enumerate(self.heads):
            if head < 0:
                self._clause(token, box)
        return box

    def _head(self, start: int, stop: int) -> int:
        """The token of a span whose head lies outside it."""
        outside = (t for t in range(start, stop) if not start <= self.heads[t] < stop)
        return next(outside, start)

    def _new(self, kind: str) -> str:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return f"{kind}{self.counts[kind]}"

    def _of(self, token: int, *relations: str) -> list[int]:
        return [c for c in self.children[token] if self.relations[c] in relations]

    def _marked(self, token: int, words: frozenset[str], *relations: str) -> list[int]:
        return [c for c in self._of(token, *relations) if self.words[c] in words]

    # Clauses: an event, and the boxes its operators open.

    def _clause(self, head: int, box: Box) -> str:
        """Add a clause to a box, inside the boxes that its conditionals and operators open."""
        for clause in self._of(head, "advcl"):
            marks = self._marked(clause, CONDITIONAL, "mark", "advmod")
            if marks:
                before, after = Box(), Box()
                self._clause(clause, before)
                event = self._operators(head, after)
                self._add(box, "imp", self.words[marks[0]], (), tuple(marks), (before, after))
                return event
        return self._operators(head, box)

    def _operators(self, head: int, box: Box) -> str:
        """Open a box for each of universal, negation and modality on the clause."""
        wrappers: list[tuple[str, tuple[int, ...]]] = []
        negations = self._marked(head, NEGATION, "advmod", "det", "cc", "nsubj", "obj")
        for noun in self._of(head, "nsubj", "obj"):
            negations += self._marked(noun, NEGATION, "det")
        if negations:
            wrappers.append(("not", tuple(negations)))
        if found := self._marked(head, POSSIBLE, "aux"):
            wrappers.append(("pos", tuple(found)))
        if found := self._marked(head, NECESSARY, "aux"):
            wrappers.append(("nec", tuple(found)))
        for kind, tokens in wrappers:
            inner = Box()
            self._add(box, kind, "", (), tokens, (inner,))
            box = inner
        subjects = self._of(head, "nsubj")
        quantifiers = [d for s in subjects for d in self._marked(s, UNIVERSAL, "det")]
        if quantifiers:
            restrictor, scope = Box(), Box()
            known = {subjects[0]: self._individual(subjects[0], restrictor)}
            self._add(
                box, "imp", self.words[quantifiers[0]], (), tuple(quantifiers), (restrictor, scope)
            )
            return self._event(head, scope, known)
        return self._event(head, box, {})

    def _event(self, head: int, box: Box, known: dict[int, str]) -> str:
        """The event of a predicate with its time, arguments and modifiers."""
        event = self._new("e")
        box.referents.append(event)
        particles = self._of(head, "compound") if self.upos[head] == "VERB" else []
        kind = "event" if self.upos[head] in ("VERB", "AUX") else "property"
        symbol = "_".join(self.words[t] for t in (head, *particles))
        self._add(box, kind, symbol, (event,), (head, *particles))
        self._time(head, event, box)
        for child in self.children[head]:
            self._dependent(head, event, child, box, known)
        return event

    def _time(self, head: int, event: str, box: Box) -> None:
        auxiliaries = self._of(head, "aux", "cop")
        future = [a for a in auxiliaries if self.words[a] in FUTURE]
        past = [a for a in auxiliaries if self.words[a] in PAST_AUX]
        if future:
            self._add(box, "time", "future", (event,), tuple(future))
        elif past:
            self._add(box, "time", "past", (event,), tuple(past))
        elif not auxiliaries and self.upos[head] == "VERB" and self.words[head].endswith("ed"):
            self._add(box, "time", "past", (event,), (head,))

    def _dependent(
        self, head: int, event: str, child: int, box: Box, known: dict[int, str]
    ) -> None:
        """What one dependent adds to its predicate's box."""
        relation = self.relations[child]
        if relation in ("punct", "aux", "cop", "mark", "cc", "compound", "case", "det"):
            return
        if relation == "conj":
            self._conjunct(child, box)
        elif relation in CLAUSAL:
            self._subordinate(head, event, child, box)
        elif relation == "advmod":
            if self.words[child] not in NEGATION:
                self._add(box, "property", self.words[child], (event,), (child,))
        elif self.upos[child] in NOMINAL or relation in ("nsubj", "obj", "iobj", "obl", "nmod"):
            individual = known.get(child) or self._individual(child, box)
            self._link(head, event, child, individual, box)

    def _link(self, head: int, event: str, child: int, individual: str, box: Box) -> None:
        """The role or relation between a predicate and its argument."""
        role = self.roles.get((head, child)) or GRAMMAR_ROLES.get(self.relations[child])
        cases = tuple(self._of(child, "case"))
        if role:
            self._add(box, "role", role, (event, individual), (child,))
        else:
            symbol = "_".join(self.words[c] for c in cases) or self.relations[child]
            self._add(box, "relation", symbol, (event, individual), (*cases, child))

    def _conjunct(self, child: int, box: Box) -> None:
        """ "or" opens two boxes (the first holds what was said so far); "and" just goes on."""
        alternatives = self._marked(child, frozenset({"or"}), "cc")
        if alternatives:
            inner = Box()
            self._clause(child, inner)
            self._add(box, "or", "or", (), tuple(alternatives), (inner,))
        else:
            self._clause(child, box)

    def _subordinate(self, head: int, event: str, child: int, box: Box) -> None:
        """A clause inside a clause: reported ones in a box, others linked to the event."""
        relation = self.relations[child]
        if relation == "advcl" and self._marked(child, CONDITIONAL, "mark", "advmod"):
            return  # the antecedent of a conditional, built by _clause
        if relation in ("ccomp", "csubj", "parataxis"):
            inner = Box()
            self._clause(child, inner)
            self._add(box, "prop", "", (event,), (child,), (inner,))
            return
        other = self._clause(child, box)
        marks = tuple(self._of(child, "mark"))
        role = self.roles.get((head, child))
        symbol = role or "_".join(self.words[m] for m in marks) or relation
        self._add(box, "role" if role else "relation", symbol, (event, other), (*marks, child))

    # Individuals: what a noun phrase adds.

    def _individual(self, head: int, box: Box) -> str:
        """The referent of a noun phrase with its name, number and properties."""
        referent = self._new("x")
        box.referents.append(referent)
        parts = sorted([head, *self._of(head, "flat", "compound", "fixed")])
        symbol = "_".join(self.words[t] for t in parts)
        kind = "named" if self.upos[head] == "PROPN" else "entity"
        self._add(box, kind, symbol, (referent,), tuple(parts))
        for child in self.children[head]:
            relation = self.relations[child]
            if relation == "nummod":
                self._add(box, "card", self.words[child], (referent,), (child,))
            elif relation in ("amod", "advmod"):
                self._add(box, "property", self.words[child], (referent,), (child,))
            elif relation in ("nmod", "appos", "conj", "obl"):
                other = self._individual(child, box)
                if relation != "conj":
                    cases = tuple(self._of(child, "case"))
                    name = "_".join(self.words[c] for c in cases) or relation
                    self._add(box, "relation", name, (referent, other), (*cases, child))
            elif relation in ("acl", "advcl"):
                event = self._clause(child, box)
                self._add(box, "relation", relation, (event, referent), (child,))
        return referent

    @staticmethod
    def _add(
        box: Box,
        kind: str,
        symbol: str,
        arguments: tuple[str, ...],
        tokens: tuple[int, ...],
        boxes: tuple[Box, ...] = (),
    ) -> None:
        box.conditions.append(Condition(kind, symbol, arguments, tokens, boxes))
