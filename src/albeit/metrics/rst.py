"""DR and DR-LEX: how similar the discourse trees of a translation and its reference are.

Both are the normalized all-subtree kernel of :mod:`albeit.metrics.kernel`. In DR, the
label of a node is its nuclearity in its parent and the relation between its children. In
DR-LEX, the skeleton has SPAN and EDU only. Nuclearity and relation are children (SPAN: both,
EDU: nuclearity), so that trees with different labels share their skeleton, and words are
children of EDUs. The score of a segment is in [0, 1]; that of a document or system is the
mean of its segments, as in the paper.

Explanations: the score of one pair is K(r, h) / √(K(r, r) · K(h, h)). To it, each node of the
reference's tree contributes the Δ that it shares with nodes of the hypothesis. To the perfect score
1, it contributes its share of K(r, r). The difference is the loss at that node; over all nodes it
adds up to exactly 1 - score. A metric over several trees is a mean of such pairs, and so are
its losses: all trees are made from the same discourse tree.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from albeit.metrics import Batch, Context, EvalSet, FloatArray, MeanMetric, MetricError, base
from albeit.metrics.kernel import DUMMY, EncodedTree, Encoder, Handle, log_deltas, similarities
from albeit.metrics.view import Compared, Link, Loss, Node, Place, Tree, View
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, RstNode, Side, compared

Labels = Literal["both", "nuclearity", "relation", "none"]
Representation = Labels | Literal["words"]
"""The tree that is compared: DR's with these labels, or DR-LEX's with words."""

Form = tuple[Representation, float]
"""A tree and its λ."""
_ROLES = {"NS": ("N", "S"), "SN": ("S", "N"), "NN": ("N", "N"), "": ()}


def grow_tree(analysis: Analysis, form: Representation, encoder: Encoder) -> list[int]:
    """Encode the discourse tree of a text; return the indexes of its nodes, children first.

    An empty text has a tree that matches only another empty text's. A bare EDU has a dummy
    leaf, so that a sentence of one EDU doesn't score 0 against itself. There is no recursion,
    because the tree of a long text can be deep.
    """
    tree = analysis[RST]
    if tree is None:
        encoder.node("EMPTY", (encoder.node(DUMMY),))
        return []
    edus, forms = analysis[EDUS], analysis[TOKENS].forms
    lexical = form == "words"
    todo: list[tuple[RstNode, str, tuple[Handle, ...] | None]] = [(tree, "R", None)]
    done: list[Handle] = []
    indexes: list[int] = []
    while todo:
        node, role, properties = todo.pop()
        nuclearity = role if form in ("both", "nuclearity", "words") else ""
        if node.is_leaf:
            below: tuple[Handle, ...] = ()
            if lexical:
                words = forms[edus[node.first][0] : edus[node.last][1]]
                below = (encoder.node("NUC", (encoder.node(role),)), *encoder.words(words))
            label = "EDU" if lexical else f"{nuclearity}:EDU"
            done.append(encoder.node(label, below or (encoder.node(DUMMY),)))
            indexes.append(done[-1][1])
        elif properties is None:
            own = (("NUC", role), ("REL", node.relation)) if lexical else ()
            made = tuple(encoder.node(name, (encoder.node(value),)) for name, value in own if value)
            todo.append((node, role, made))
            children = zip(node.children(), _ROLES[node.nuclearity], strict=True)
            todo += [(child, child_role, None) for child, child_role in children][::-1]
        else:
            relation = node.relation if form in ("both", "relation") else ""
            label = "SPAN" if lexical else f"{nuclearity}:{relation}"
            done[-2:] = [encoder.node(label, (*properties, done[-2], done[-1]))]
            indexes.append(done[-1][1])
    return indexes


@dataclass(frozen=True)
class TreeKernelMetric(MeanMetric):
    """Base of the tree-kernel metrics: the mean over :attr:`forms`, by the best reference."""

    needs = compared(TOKENS, EDUS, RST)

    @property
    @abstractmethod
    def forms(self) -> Sequence[Form]:
        """The trees that are compared, each with its λ."""

    def check(self, evalset: EvalSet) -> None:
        """Raise for lines that are too long: trees are compared node by node."""
        super().check(evalset)
        base.check_lengths(self, evalset)

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """Return (similarity, 1) per segment."""
        scores = [np.max(self.by_reference(batch, *form), axis=0) for form in self.forms]
        return base.mean_statistics(np.mean(scores, axis=0))

    def by_reference(self, batch: Batch, form: Representation, decay: float) -> FloatArray:
        """Return the similarity to each reference: (references, segments)."""

        def encode(analysis: Analysis) -> EncodedTree:
            encoder = Encoder()
            grow_tree(analysis, form, encoder)
            return encoder.tree()

        def trees(lines: Sequence[str]) -> list[EncodedTree]:
            return [batch.analyses[line].memoize(("rst", form), encode) for line in lines]

        hypotheses = trees(batch.hypotheses)
        return np.stack([similarities(hypotheses, trees(r), decay) for r in batch.references])

    def explain(self, batch: Batch, context: Context, row: FloatArray) -> View:
        """Show both trees, and the loss at each node of the reference's."""
        best = [int(self.by_reference(batch, *form)[:, 0].argmax()) for form in self.forms]
        texts = batch.hypotheses, *batch.references
        hypothesis, *references = (batch.analyses[lines[0]] for lines in texts)
        return explain_trees(self, row, hypothesis, references, self.forms, best)


@dataclass(frozen=True)
class _DecayedKernelMetric(TreeKernelMetric):
    """A metric of one tree, whose λ is a parameter."""

    lambda_: float

    def __post_init__(self) -> None:
        if not 0 < self.lambda_ <= 1:
            raise MetricError(f"{self.name}: lambda must be above 0 and at most 1.")


@dataclass(frozen=True)
class Dr(_DecayedKernelMetric):
    """DR: discourse structure without words; λ was chosen on WMT13."""

    name = "dr"
    summary = "RST trees without words, by an all-subtree kernel (Guzmán et al. 2014)"

    lambda_: float = 0.7
    labels: Labels = "both"

    @property
    def forms(self) -> Sequence[Form]:
        """One tree without words."""
        return ((self.labels, self.lambda_),)


@dataclass(frozen=True)
class DrLex(_DecayedKernelMetric):
    """DR-LEX: discourse structure with labels as properties and words under the EDUs.

    λ is small, because with the usual 0.4 long identical EDUs dominate the score. It and one
    NGRAM per word were chosen on WMT13.
    """

    name = "dr-lex"
    summary = "RST trees with words, by an all-subtree kernel (Guzmán et al. 2014)"

    lambda_: float = 0.05

    @property
    def forms(self) -> Sequence[Form]:
        """One tree with words."""
        return (("words", self.lambda_),)


@dataclass(frozen=True)
class DiscoTkLight(TreeKernelMetric):
    """DiscoTK-light: the mean over five trees, from the bare skeleton to all labels and words."""

    name = "discotk-light"
    summary = "mean of five RST tree kernels, from bare skeleton to lexicalized"

    @property
    def forms(self) -> Sequence[Form]:
        """Skeleton, nuclearity, relation, all labels, all labels with words."""
        labels: tuple[Labels, ...] = ("none", "nuclearity", "relation", "both")
        return (*((each, Dr.lambda_) for each in labels), ("words", DrLex.lambda_))


def explain_trees(
    metric: MeanMetric,
    row: FloatArray,
    hypothesis: Analysis,
    references: Sequence[Analysis],
    forms: Sequence[Form],
    best: Sequence[int],
) -> View:
    """Return the trees of a hypothesis and of the references that count, with the losses.

    :param forms: the trees that are compared, each with its λ
    :param best: the number of the best reference for each of them
    """
    used, weight = sorted(set(best)), 1 / len(forms)
    texts = [Compared(Side.HYPOTHESIS, hypothesis.text, hypothesis[TOKENS])]
    texts += [Compared(Side.REFERENCE, (a := references[r]).text, a[TOKENS], r) for r in used]
    hypothesis_lost = np.zeros(len(_spans(hypothesis)))
    trees: list[Tree] = []
    links: list[Link] = []
    losses: list[Loss] = []
    for text, r in enumerate(used, 1):
        reference = references[r]
        own = [form for form, number in zip(forms, best, strict=True) if number == r]
        reference_lost = np.zeros(len(_spans(reference)))
        similarity = np.zeros((len(hypothesis_lost), len(reference_lost)))
        for form in own:
            lost = _compare(form, hypothesis, reference)
            hypothesis_lost += weight * lost[0]
            reference_lost += weight * lost[1]
            similarity += lost[2] / len(own)
        trees.append(Tree(text, _draw(reference, [hypothesis], reference_lost)))
        links += _link_nodes(hypothesis, reference, text, similarity)
        if any(form == "words" for form, _ in own):
            links += _link_words(hypothesis, reference, text)
        missing = sum(weight for _ in own) if hypothesis[RST] else 0.0
        losses += _losses(trees[-1], reference, missing)
    trees.append(Tree(0, _draw(hypothesis, [references[r] for r in used], hypothesis_lost)))
    return metric.view(row, texts, links, losses, trees=tuple(trees))


class _InOrder(Encoder):
    """Add each word next to its NGRAM, so that nodes are in the order of the text."""

    def words(self, forms: Sequence[str]) -> tuple[Handle, ...]:
        """Add an NGRAM node per word."""
        leaf = (self.node(DUMMY),)
        return tuple(self.node("NGRAM", (self.node(form, leaf),)) for form in forms)


def _encode(analysis: Analysis, form: Representation) -> tuple[EncodedTree, list[list[int]]]:
    """Return a tree, and the nodes of each discourse node: itself, words, properties."""
    encoder = _InOrder()
    indexes = grow_tree(analysis, form, encoder)
    tree = encoder.tree()
    owned = {index: [index] for index in indexes}
    owner = {index: index for index in indexes}
    for node in reversed(range(tree.size if indexes else 0)):
        for child in tree.children[tree.starts[node] : tree.starts[node + 1]].tolist():
            if child >= 0:
                owner.setdefault(child, owner[node])
    for node in sorted(owner.keys() - owned.keys()):
        owned[owner[node]].append(node)
    return tree, list(owned.values())


def _compare(
    form: Form, hypothesis: Analysis, reference: Analysis
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the loss at each discourse node of either tree, and the similarity of each two nodes.

    Nodes are in the kernel's order, children first.
    """
    representation, decay = form
    trees, nodes = zip(*(_encode(a, representation) for a in (hypothesis, reference)), strict=True)
    own = [log_deltas(tree, tree, decay) for tree in trees]
    sizes = [_log_sum(logs) for logs in own]
    across = log_deltas(trees[0], trees[1], decay)
    shared = np.exp(across - 0.5 * sum(sizes))
    lost = []
    for side in (0, 1):
        missing = np.exp(own[side] - sizes[side]).sum(axis=1) - shared.sum(axis=1 - side)
        lost.append(np.array([missing[indexes].sum() for indexes in nodes[side]]))
    heads = [np.array([indexes[0] for indexes in each], dtype=np.intp) for each in nodes]
    scale = [np.diagonal(logs)[index] for logs, index in zip(own, heads, strict=True)]
    similarity = np.exp(across[np.ix_(*heads)] - 0.5 * (scale[0][:, None] + scale[1][None, :]))
    return lost[0], lost[1], similarity


def _log_sum(logs: FloatArray) -> float:
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))


def _draw(analysis: Analysis, others: Sequence[Analysis], lost: FloatArray) -> Node | None:
    """Return the discourse tree with the loss at each node."""
    tree = analysis[RST]
    if tree is None:
        return None
    edus = analysis[EDUS]
    known = np.concatenate([_encode(other, "both")[0].productions for other in others])
    shared = iter(np.isin(_encode(analysis, "both")[0].productions, known).tolist())
    losses = iter(lost.tolist())

    def node(rst: RstNode, role: str) -> Node:
        children = tuple(node(c, r) for c, r in zip(rst.children(), rst.nuclearity, strict=True))
        start, stop = edus[rst.first][0], edus[rst.last][1]
        return Node(role, rst.relation, start, stop, next(shared), next(losses), children)

    return node(tree, "")


def _losses(tree: Tree, reference: Analysis, missing: float) -> list[Loss]:
    """Return the loss at each node of a reference's tree; ``missing`` if it has no tree."""
    if tree.root is None:
        return [Loss("the reference has no tree", missing)] if missing else []
    forms = reference[TOKENS].forms
    losses = []
    for node in tree.root.walk():
        words = [node.relation] if node.children else list(forms[node.start : node.stop])
        label = " ".join([f"[{node.role}]", *words] if node.role else words)
        place = Place(tree.text, tuple(range(node.start, node.stop)))
        losses.append(Loss(label, node.lost, (place,)))
    return losses


def _link_nodes(
    hypothesis: Analysis, reference: Analysis, text: int, similarity: FloatArray
) -> list[Link]:
    """Pair nodes one to one: the most similar first, then the nearest in order."""
    spans = _spans(hypothesis), _spans(reference)
    pairs = np.argwhere(similarity > 0).tolist()
    pairs.sort(key=lambda p: (-round(similarity[p[0], p[1]], 9), abs(p[0] - p[1]), p))
    taken: tuple[set[int], set[int]] = (set(), set())
    links = []
    for i, j in pairs:
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            places = Place(0, spans[0][i]), Place(text, spans[1][j])
            links.append(Link(*places, float(min(similarity[i, j], 1.0)), "node"))
    return links


def _spans(analysis: Analysis) -> list[tuple[int, ...]]:
    """Return the tokens under each node, children first."""
    edus = analysis[EDUS]

    def below(node: RstNode) -> list[tuple[int, ...]]:
        own = tuple(range(edus[node.first][0], edus[node.last][1]))
        return [span for child in node.children() for span in below(child)] + [own]

    tree = analysis[RST]
    return [] if tree is None else below(tree)


def _link_words(hypothesis: Analysis, reference: Analysis, text: int) -> list[Link]:
    """Link words that both texts have; repeats in order."""
    if hypothesis[RST] is None or reference[RST] is None:
        return []
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(hypothesis[TOKENS].forms):
        places[word].append(place)
    return [
        Link(Place(0, (places[word].pop(0),)), Place(text, (place,)), 1.0, "word")
        for place, word in enumerate(reference[TOKENS].forms)
        if places[word]
    ]
