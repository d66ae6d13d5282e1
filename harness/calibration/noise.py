"""What the runs of a null campaign tell of their machine's noise, and of how often it would raise a false alarm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
import scipy

from harness.analysis.compare import JouleKinds, mixed, ratio_of, told
from harness.analysis.order import drift, lag1
from harness.analysis.pairs import Pair
from harness.analysis.power import noise_of_a_run, smallest_effect
from harness.analysis.quantities import judged_of
from harness.analysis.quantity import Quantity
from harness.analysis.verdict import Floats, Verdict
from harness.calibration.records import Noise
from harness.planning.null_campaign import LABELS

FALSE = (Verdict.BETTER, Verdict.WORSE)
FEWEST_BLOCKS = 3
ALL_UP_TO_BLOCKS = 11  # changes of signs: 1 024, half of them the other half's mirror images
DRAWN = 1000  # beyond that


def noises(runs: pd.DataFrame, labelled: dict[tuple[int, int], str], seed: int) -> Iterator[Noise]:
    """Of each judged quantity that varies and that at least two blocks have in both runs.

    `runs`: those that count, with rates. What is alike in all runs tells no noise.
    """
    ordered = runs.sort_values(["block", "position"])
    keys = zip(ordered["block"], ordered["position"], strict=True)
    mine = pd.Series([labelled[key] for key in keys], ordered.index, dtype="object")
    a, b = (ordered[mine == label] for label in LABELS)
    for one in judged_of(ordered):
        pair = None if one.energy and mixed(ordered) else one.pair(a, b)
        if pair is not None and not pair.unspread:
            noise = _noise(one, pair, _logs(ordered, one), seed)
            yield noise.model_copy(
                update={"provenance": JouleKinds.of(ordered).words if one.energy else None}
            )


def _logs(ordered: pd.DataFrame, quantity: Quantity) -> Floats:
    return np.asarray(np.log(ordered[quantity.name].dropna().to_numpy(dtype=np.float64)))


def _noise(quantity: Quantity, pair: Pair, logs: Floats, seed: int) -> Noise:
    ratio, n, (rho, p) = told(pair), len(pair.differences), drift(logs)
    false, tried = relabelled(pair.differences, seed)
    sd = float(np.sqrt((pair.differences**2).mean()))
    at_most = float(sd * np.sqrt(n / scipy.stats.chi2.ppf(0.05, n)))
    return Noise(
        quantity=quantity.name, blocks=n, sd=sd, sd_at_most=at_most,
        resolves=resolved(sd, n), resolves_at_most=resolved(at_most, n),
        ratio=ratio.ratio, low=ratio.low, high=ratio.high, verdict=str(quantity.verdict(ratio.verdict)),
        false_verdicts=false, relabelled=tried, drift_rho=rho, drift_p=p, lag1=lag1(logs),
    )  # fmt: skip


def resolved(sd: float, blocks: int) -> float:
    """The smallest difference found in 80 % of campaigns of so many blocks; 1, which nothing is, below two."""
    found = smallest_effect(noise_of_a_run(sd), blocks)
    return 1.0 if found is None else found


def relabelled(differences: Floats, seed: int) -> tuple[int, int]:
    """(better or worse, tried) where A and B are drawn anew in each block, by the usual analysis.

    Only what is independent from block to block survives that: of a mood that lasts, lag 1 tells.
    """
    signs = list(_signs(len(differences), seed))
    return sum(ratio_of(differences * one).verdict in FALSE for one in signs), len(signs)


def _signs(blocks: int, seed: int) -> Iterator[Floats]:
    """All changes of signs but their mirror images, or a thousand that are drawn."""
    if blocks <= ALL_UP_TO_BLOCKS:
        yield from (np.array((1.0, *rest)) for rest in product((1.0, -1.0), repeat=blocks - 1))
    else:
        yield from np.random.default_rng(seed).choice((-1.0, 1.0), (DRAWN, blocks))
