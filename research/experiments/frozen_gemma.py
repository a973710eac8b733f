"""Do the frozen states of Gemma 3 270M compare German translations better than chrF? A trial on samples.

    PYTHONPATH=src:research python research/experiments/frozen_gemma.py states --gguf FILE --out states.npz
    PYTHONPATH=src:research python research/experiments/frozen_gemma.py table --states states.npz --facts facts.npz

Needs `torch`, `gguf`, `sentencepiece` and `protobuf` beside albeit, and Gemma's file (its terms of use are
not a free licence: nothing of it is in this repository). `states` reads every n-th judged segment of two
sets and notes how well the subwords of translation and reference meet, by layer, as a BERTScore would
(means of the best cosines), and how alike the means of both texts are. Cosines are of states as they are,
and of states from which the mean of each dimension was taken and whose dimensions were given one
spread, by the references alone. `table` gives segment τ of each, of chrF, and of the facts of
`judge-facts` with and without these, weights being learnt on the other set, and on WMT23 of published
scores of two metrics.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from _common import arguments, shared_folder

from albeit.report import Cell, Row, Table, render
from albeit.report.table import Heading
from training.judge.segments import Segment, metric_scores, newstest20, wmt23
from training.languages.facts import judged
from training.languages.fit import JUDGE_FACTS, Floats, Set, fitted, read, tau

Rows = npt.NDArray[np.float32]
LAYERS = (0, 6, 9, 12)
WAYS = ("as they are", "one spread")
FACTS = ("precision", "recall", "means")
NAMES = tuple(f"layer {n}, {way}: {fact}" for n in LAYERS for way in WAYS for fact in FACTS)
SETS = {
    "newstest20/en-de": (newstest20, "judgments/newstest20-mqm/en-de", 14),
    "wmt23/en-de": (wmt23, "discourse/wmt23-mqm/en-de", 8),
}
"""Reader, folder, and every how many segments."""
RIDGE = 0.1
PUBLISHED = ("BERTscore", "COMET")


class Gemma:
    """Tokenizer and the states after some layers, from a GGUF file."""

    def __init__(self, path: Path) -> None:
        import torch
        from gguf import dequantize  # type: ignore[import-not-found]

        from training.many.base import opened, tokenizer

        file = opened(path)
        self.pieces = tokenizer(file)
        self.weights = {
            t.name: torch.from_numpy(dequantize(t.data, t.tensor_type).astype(np.float32))
            for t in file.tensors
        }

    def states(self, text: str) -> dict[int, Rows]:
        """The state of each subword after each of ``LAYERS``, the mark of the beginning left out."""
        import torch
        import torch.nn.functional as F  # noqa: N812

        def normal(x: Any, name: str) -> Any:
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weights[name]

        ids = torch.tensor([2, *self.pieces.encode(text)])
        size = len(ids)
        h = F.embedding(ids, self.weights["token_embd.weight"]) * math.sqrt(640)
        found = {0: h[1:].numpy()}
        for i in range(max(LAYERS)):
            own = {
                n: self.weights[f"blk.{i}.{n}.weight"]
                for n in (
                    "attn_q",
                    "attn_k",
                    "attn_v",
                    "attn_output",
                    "ffn_gate",
                    "ffn_up",
                    "ffn_down",
                )
            }
            # every sixth layer looks everywhere, the others near
            theta = 1e6 if (i + 1) % 6 == 0 else 1e4
            angle = torch.outer(
                torch.arange(size).float(), theta ** (-torch.arange(0, 256, 2).float() / 256)
            )
            cos, sin = (f(torch.cat([angle, angle], -1)) for f in (torch.cos, torch.sin))

            def turned(y: Any, cos: Any = cos, sin: Any = sin) -> Any:
                return y * cos + torch.cat([-y[..., 128:], y[..., :128]], -1) * sin

            x = normal(h, f"blk.{i}.attn_norm.weight")
            q = normal((x @ own["attn_q"].T).view(size, 4, 256), f"blk.{i}.attn_q_norm.weight")
            k = normal((x @ own["attn_k"].T).view(size, 1, 256), f"blk.{i}.attn_k_norm.weight")
            v = (x @ own["attn_v"].T).view(size, 1, 256)
            q, k, v = (y.transpose(0, 1) for y in (q, k, v))
            met = F.scaled_dot_product_attention(
                turned(q)[None],
                turned(k).expand(4, -1, -1)[None],
                v.expand(4, -1, -1)[None],
                is_causal=True,
                scale=1 / 16,
            )
            mixed = met[0].transpose(0, 1).reshape(size, 1024) @ own["attn_output"].T
            h = h + normal(mixed, f"blk.{i}.post_attention_norm.weight")
            x = normal(h, f"blk.{i}.ffn_norm.weight")
            gate = F.gelu(x @ own["ffn_gate"].T, approximate="tanh")
            y = (gate * (x @ own["ffn_up"].T)) @ own["ffn_down"].T
            h = h + normal(y, f"blk.{i}.post_ffw_norm.weight")
            if i + 1 in LAYERS:
                found[i + 1] = h[1:].numpy()
        return found


def unit(rows: Rows) -> Rows:
    """Rows of length one."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9))


def compared(ours: dict[int, Rows], theirs: dict[int, Rows], spread: dict[int, Any]) -> list[float]:
    """Those of ``NAMES``."""
    found: list[float] = []
    for layer in LAYERS:
        mean, deviation = spread[layer]
        one, other = ours[layer], theirs[layer]
        for a, b in ((one, other), ((one - mean) / deviation, (other - mean) / deviation)):
            close = unit(a) @ unit(b).T
            means = float(unit(unit(a).mean(axis=0)) @ unit(unit(b).mean(axis=0)))
            found += [float(close.max(axis=1).mean()), float(close.max(axis=0).mean()), means]
    return found


def chosen(data: Path, name: str) -> list[Segment]:
    """A sample of the judged segments."""
    reader, folder, every = SETS[name]
    return [s for s in reader(shared_folder(data, folder)) if judged(s)][::every]


def states(data: Path, gguf: Path, out: Path) -> None:
    """How the translations of the samples meet their references."""
    gemma = Gemma(gguf)
    found: dict[str, list[Any]] = {"segment": [], "name": [], "facts": []}
    for name in SETS:
        segments = chosen(data, name)
        references = [gemma.states(next(iter(s.references.values()))) for s in segments]
        spread = {}
        for layer in LAYERS:
            every = np.concatenate([states[layer] for states in references])
            spread[layer] = every.mean(axis=0), every.std(axis=0)
        started = time.time()
        for number, (segment, theirs) in enumerate(zip(segments, references, strict=True)):
            for system in judged(segment):
                facts = compared(gemma.states(segment.outputs[system]), theirs, spread)
                for key, value in (("segment", segment.key), ("name", system), ("facts", facts)):
                    found[key].append(value)
            if number % 10 == 0:
                print(
                    f"{name} {number}/{len(segments)} {time.time() - started:.0f}s", file=sys.stderr
                )
        np.savez_compressed(out, **{key: np.array(value) for key, value in found.items()})


def joined(one: Set, found: Any) -> Set:
    """The rows of the sample, the facts of both side by side."""
    place = {key: n for n, key in enumerate(zip(found["segment"], found["name"], strict=True))}
    rows = [n for n, key in enumerate(zip(one.segment, one.system, strict=True)) if key in place]
    new = np.full(len(one.level), -1)
    new[rows] = np.arange(len(rows))
    pairs = (new[one.better] >= 0) & (new[one.worse] >= 0)
    own = found["facts"][[place[one.segment[n], one.system[n]] for n in rows]]
    return one._replace(
        facts=np.concatenate([one.facts[rows][:, JUDGE_FACTS], own], axis=1),
        level=one.level[rows],
        segment=one.segment[rows],
        system=one.system[rows],
        characters=one.characters[rows],
        better=new[one.better[pairs]],
        worse=new[one.worse[pairs]],
        times=one.times[pairs],
    )


def error(one: Set, scores: Floats) -> float:
    """The standard error of how far a score's τ is above chrF's, over samples of segments."""
    sign = [np.sign(v[one.better] - v[one.worse]) for v in (scores, one.facts[:, 0])]
    _, segment = np.unique(one.segment[one.better], return_inverse=True)
    gain, pairs = (np.bincount(segment, v) for v in (sign[0] - sign[1], np.ones(len(segment))))
    drawn = np.random.default_rng(1).multinomial(len(gain), np.full(len(gain), 1 / len(gain)), 1000)
    return float((drawn @ gain / (drawn @ pairs)).std())


def ways(one: Set, other: Set, data: Path) -> dict[str, Floats]:
    """Scores of the sample by each way; weights are learnt on the other set."""
    size, found = JUDGE_FACTS.stop, {"chrf": one.facts[:, 0]}
    for at, name in enumerate(NAMES, size):
        found[name] = one.facts[:, at]
        if name.endswith("recall"):
            p, r = one.facts[:, at - 1], one.facts[:, at]
            found[name.replace("recall", "F3")] = 10 * p * r / (9 * p + r)
    wide = slice(0, size + len(NAMES))
    for title, where in (("facts of judge-facts", JUDGE_FACTS), ("these and Gemma's", wide)):
        weights = fitted([other], where, RIDGE)
        found[f"{title}, weights of the other set"] = one.facts[:, where] @ weights
    for name in PUBLISHED if one.name.startswith("wmt23") else ():
        folder = shared_folder(data, "judgments/wmt23-metric-scores/en-de")
        known = metric_scores(folder, name)
        numbers = [int(key.split(":")[1]) for key in one.segment]
        rows = zip(one.system, numbers, strict=True)
        found[f"{name}, as published"] = np.array([known[system][n] for system, n in rows])
    return found


def table(states_file: Path, facts: Path, data: Path) -> Table:
    """Segment τ by each way, on both samples."""
    with np.load(states_file) as file:
        found = {name: file[name] for name in file.files}
    sets = [joined(one, found) for one in read([facts]) if one.name in SETS]
    scores = [ways(one, other, data) for one, other in zip(sets, sets[::-1], strict=True)]
    rows = []
    for name in max(scores, key=len):
        cells = [Cell(name)]
        for one, own in zip(sets, scores, strict=True):
            known = name in own
            cells.append(Cell(tau(one, own[name])) if known else Cell())
            cells.append(Cell(error(one, own[name])) if known and name != "chrf" else Cell())
        rows.append(Row(tuple(cells)))
    heads = [Heading("Way", align="left")]
    for one in sets:
        heads += [Heading(x, group=one.name, decimals=3) for x in ("τ", "error beside chrF")]
    notes = tuple(
        f"{one.name}: {len(np.unique(one.segment))} segments, {len(one.better)} pairs"
        for one in sets
    )
    return Table(tuple(heads), tuple(rows), "Frozen Gemma 3 270M: segment τ on samples", notes)


def main() -> None:
    """Read states, or print what they say."""
    parser = arguments(__doc__ or "")
    parser.add_argument("what", choices=("states", "table"))
    parser.add_argument("--gguf", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--states", type=Path)
    parser.add_argument("--facts", type=Path)
    args = parser.parse_args()
    if args.what == "states":
        states(args.data, args.gguf, args.out)
    else:
        sys.stdout.write(render([table(args.states, args.facts, args.data)], args.format))


if __name__ == "__main__":
    main()
