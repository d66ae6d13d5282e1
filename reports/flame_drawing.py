"""A flame graph that stands still: for print, for papers, and for readers without script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

import pandas as pd

from harness.attribution.functions import NATIVE, is_native
from reports.compact import compact
from reports.drawing import Drawing, drawn
from reports.formats import quantity
from reports.vega_lite import Chart, Part, channel, end

# Of flame_colours.js, on a paper that is as white in light as in dark: the text on them is black in both.
TINTS = ("#94d4be", "#94bfdc", "#f5d694", "#eac9dd", "#ecb994", "#bde0f5")
PLAIN, MORE, LESS, TEXT = "#dcdcdc", (213, 94, 0), (0, 114, 178), "#000000"
STRONGEST, FAINTEST = 0.6, 0.12
WIDTH, ROW, LETTER = 900, 15, 6.1  # pixels
LEAST_SHARE, DEEPEST = 0.01, 45  # of the whole: a frame that has less is not drawn
MONOSPACE = "Liberation Mono, monospace"


def flame(data: Mapping[str, Any]) -> Drawing:
    """`data`: as reports.flames.data_of gives it; of two runs it is as wide as the second."""
    rows = pd.DataFrame(_rows(data), columns=["begin", "end", "depth", "kind", "colour", "words"])
    deep = int(rows["depth"].max()) + 1
    base = Chart(compact(rows.assign(below=rows["depth"] + 1, middle=rows["depth"] + 0.5)))
    across, down = dict(domain=[0, 1], nice=False), dict(domain=[deep, 0], nice=False)
    left, top = channel("begin:Q", scale=across, axis=None), channel("depth:Q", scale=down, axis=None)
    middle = channel("middle:Q", scale=down, axis=None)
    boxes = base.mark("rect", stroke="white", strokeWidth=0.6)
    words = base.mark("text", align="left", dx=3, fontSize=10, font=MONOSPACE, color=TEXT)
    return drawn(
        boxes.encode(x=left, x2=end("end"), y=top, y2=end("below"), color=_colour(data)),
        words.encode(x=left, y=middle, text=channel("words:N")),
        height=ROW * deep,
        width=WIDTH,
    )


def _colour(data: Mapping[str, Any]) -> Part:
    if len(data["runs"]) > 1:
        return channel("colour:N", scale=None)
    kinds = data["kinds"]
    legend = dict(title=None, orient="bottom", columns=len(kinds), labelLimit=140)
    scale = dict(domain=kinds, range=[*TINTS[: len(kinds) - 1], PLAIN])
    return channel("kind:N", scale=scale, legend=legend)


def _rows(data: Mapping[str, Any]) -> Iterator[tuple[float, float, int, str, str, str]]:
    """Of the frames that are wide enough and not too deep."""
    depth, name, apart = data["depth"], data["name"], _differences(data)
    totals = _totals(depth, data["own"][-1])
    most, whole = max(map(abs, apart)) or 1.0, totals[0] or 1.0
    totals[0] = whole
    filled = [0.0] * (DEEPEST + 2)  # of each depth, up to where it is
    unseen = DEEPEST + 1  # what lies below a frame that is not drawn is not drawn
    for one, deep in enumerate(depth):
        if deep > unseen:
            continue
        begin, end = filled[deep], filled[deep] + totals[one] / whole
        filled[deep] = end
        unseen = DEEPEST if end - begin >= LEAST_SHARE else deep
        if unseen == DEEPEST and deep <= DEEPEST:
            filled[deep + 1] = begin
            weight = sqrt(abs(apart[one]) / most) * (1 if apart[one] > 0 else -1)
            more = f" {_signed(apart[one])}" if abs(weight) >= FAINTEST else ""
            words = _fitted(data["names"][name[one]], more, int((end - begin) * WIDTH / LETTER) - 1)
            yield begin, end, deep, data["kinds"][data["kind"][name[one]]], _shade(weight), words


def _totals(depth: Sequence[int], own: Sequence[float]) -> list[float]:
    """With all that each calls."""
    found, below = list(map(float, own)), [0.0] * (max(depth, default=0) + 2)
    for one in range(len(depth) - 1, -1, -1):
        found[one] += below[depth[one] + 1]
        below[depth[one] + 1] = 0.0
        below[depth[one]] += found[one]
    return found


def _differences(data: Mapping[str, Any]) -> list[float]:
    own = data["own"]
    return [other - one for one, other in zip(*own, strict=True)] if len(own) > 1 else [0.0] * len(own[0])


def _signed(joules: float) -> str:
    return f"{'+' if joules > 0 else ''}{quantity(joules, 'J')}"


def _shade(weight: float) -> str:
    if abs(weight) < FAINTEST:
        return PLAIN
    share, hue = STRONGEST * abs(weight), MORE if weight > 0 else LESS
    return "#" + "".join(f"{round(part * share + 255 * (1 - share)):02x}" for part in hue)


def _short(name: str) -> str:
    """Of a compiled function its symbol, without the library, scopes and template's arguments."""
    if not is_native(name):
        return name.rpartition(".")[2]
    symbol = name.partition(f" {NATIVE}")[0]
    return symbol.partition("<")[0].rpartition(":")[2] or symbol


def _fitted(full: str, more: str, letters: int) -> str:
    """As flame.js does it."""
    name = full.removesuffix(".<module>")
    if len(name) > letters:
        name = _short(name)
    if len(name) > letters:
        return f"{name[: letters - 1]}…" if letters > 3 else ""
    return name + more if len(name + more) <= letters else name
