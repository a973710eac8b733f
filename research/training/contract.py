"""What the shipped files take and give: written to `meta.json` for the runtime to read.

Inputs of `encoder.onnx`, all int64 [b, t]: `input_ids` ([CLS] subwords [SEP], padded with 0),
`attention_mask`, `case_ids` (each subword carries its word's casing class, special tokens and
padding 0; see `training.batch.casing`). Outputs, float32 [b, t, 384]: `hidden`, read by the heads
at each word's *first* subword, and `middle`, the token vectors (each dimension standardised; bring
rows to unit length before comparing them). At most 512 positions.

Heads (one file each; N, P, E, M are free sizes):

=============== ============================================ ======================================
file            inputs                                       outputs
=============== ============================================ ======================================
edus            words [N, 384]                               edus [N]: logit > 0 starts an EDU; the
                                                             first word of a sentence always does
tags            words [N, 384]                               upos [N, 17], xpos [N, 49] arcs
words [b, w, 384], absent words zero         arcs [b, w, 1 + w]: column 0 the root relations
dependents [N, 384], heads [N, 384]          relations [N, 51]; a root word is always
                                                             `root`
spans           words [b, w, 384], absent words zero         spans [b, w + 1, w + 1]: logits
span_labels     ends [N, 1536]: the word before the span,    labels [N, 61]: unary chains joined
                its first, its last, the one after (zero     by `+`, outermost first
                where the sentence ends)
predicates      words [N, 384]                               predicates [N]: logit > 0 roles
words [b, w, 384], rows [P], at [P]: the     tags [P, w, 87]: B-I-O as
                sentence and the word of each predicate      `albeit.parsing.decode` reads it
connectives     words [N, 384]                               tags [N, 3] B-I-O, senses [N, 17]
(taken
                                                             at a connective's first word)
entities        words [N, 384]                               tags [N, 21] B-I-O rst
edus [E, 1152]: first word, last word, mean  splits [M], labels [M, 28]: scores that
                of each EDU's words; candidates [M, 4] and   `albeit.parsing.decode.rst_trees` reads
                features [M, 6] from
                `albeit.parsing.decode.plan_trees`
=============== ============================================ ======================================
"""

from __future__ import annotations

from training.model.encoder import Config

RST_DT = {
    "adversative": "contrast",
    "attribution": "attribution",
    "causal": "cause",
    "context": "background",
    "contingency": "condition",
    "elaboration": "elaboration",
    "evaluation": "evaluation",
    "explanation": "explanation",
    "joint": "joint",
    "mode": "manner-means",
    "organization": "textual-organization",
    "purpose": "enablement",
    "restatement": "summary",
    "same-unit": "same-unit",
    "topic": "topic-comment",
}
"""GUM's 15 coarse relations in RST-DT's classes, as counted in UMUC, whose trees have both label
sets
(`training.corpora.labelmap` of commit c1cd033)."""

CASING = {"none": 1, "initial": 2, "all": 3, "mixed": 4, "no letters": 5, "special": 0}


def describe_model(
    labels: dict[str, list[str]], config: Config, version: str, **more: object
) -> dict[str, object]:
    """Return the contents of `meta.json`."""
    return {
        "version": version,
        "base": "all-MiniLM-L6-v2 (Apache-2.0), taught by all-mpnet-base-v2 (Apache-2.0)",
        "training_data": "GUM (commit 72ce5ac), UD English EWT with PropBank's EWT release",
        "language": "en",
        "width": config.width,
        "layers": config.layers,
        "middle_layer": config.middle,
        "positions": config.positions,
        "tokens": {"cls": 101, "sep": 102, "unknown": 100, "padding": 0},
        "casing": CASING,
        "rst_label_weight": 0.0,
        "labels": labels,
        "rst_dt": RST_DT,
        **more,
    }
