"""Tests of a difference, by name (rule R32). Each says how small its p could become with so few runs.

Paired tests take log differences, one a block; independent ones the values of two treatments, all positive where
logarithms are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from harness.analysis import exact as exactly
from harness.analysis.description import shapiro
from harness.analysis.exact import RANK_SUM_VALUES, SIGNED_RANK_PAIRS
from harness.analysis.flipping import MOST_GROUPS, chance_of_sum, in_groups
from harness.analysis.verdict import Floats

ALPHA = 0.05
RESAMPLES = 2**16  # up to 16 blocks every change of signs is tried


@dataclass(frozen=True)
class TestResult:
    """Two-sided. p and statistic are None where `reason` says why; n: pairs, or values of both groups.

    `smallest_p`: what the most extreme data of this size, and with such ties, would give; 0 for t-tests, which have
    no such limit.
    """

    name: str
    statistic: float | None
    p: float | None
    n: int
    smallest_p: float = 0.0
    reason: str = ""

    def impossible(self, alpha: float = ALPHA, comparisons: int = 1) -> str:
        """Why no data of this size could be significant among so many comparisons; empty where some could."""
        if self.smallest_p <= alpha / comparisons:
            return ""
        among = f" among {comparisons} comparisons" if comparisons > 1 else ""
        return f"{self.name} with n = {self.n} cannot go below p = {self.smallest_p:.3g}: never significant{among}"


def _unknown(name: str, n: int, smallest_p: float = 1.0) -> TestResult:
    return TestResult(name, None, None, n, smallest_p, "too few values, or all alike")


def paired_log_t(differences: Floats) -> TestResult:
    """Whether the ratio of geometric means is 1: the test of the headline's interval."""
    name, n = "paired-log-t", len(differences)
    if n < 2 or np.ptp(differences) == 0:
        return _unknown(name, n)
    t = float(differences.mean() / np.sqrt(differences.var(ddof=1) / n))
    return TestResult(name, t, float(2 * scipy.special.stdtr(n - 1, -abs(t))), n)


def sign_flip(differences: Floats) -> TestResult:
    """Permutation test of the mean: without effect, each difference is as likely with the other sign.

    All 2^n changes of signs up to 16 blocks, else 65 536 drawn from a fixed seed; of many differences in groups.
    """
    name, n = "sign-flip", len(differences)
    changing = np.count_nonzero(differences)  # the sign of 0 changes nothing
    smallest = 2 / 2.0**changing if n < RESAMPLES.bit_length() else 2 / (RESAMPLES + 1)
    if n < 2 or not differences.any():
        return _unknown(name, n, smallest)
    if n > MOST_GROUPS:
        p = chance_of_sum(in_groups(differences)[0], RESAMPLES)
        return TestResult(name, float(differences.mean()), p, n, smallest)
    found = scipy.stats.permutation_test(
        (differences,), _mean, permutation_type="samples", n_resamples=RESAMPLES, vectorized=True, rng=1
    )
    return TestResult(name, float(found.statistic), float(found.pvalue), n, smallest)


def _mean(differences: Floats, axis: int) -> Floats:
    return np.asarray(differences.mean(axis=axis))


def signed_rank(differences: Floats) -> TestResult:
    """Wilcoxon: whether differences are symmetric about 0; exact, ties and all, up to 500 blocks.

    Differences of 0 say nothing and are left out, as Wilcoxon did.
    """
    name, n = "signed-rank", len(differences)
    if n < 2 or not differences.any():
        return _unknown(name, n)
    if n > SIGNED_RANK_PAIRS:
        found = scipy.stats.wilcoxon(differences)
        return TestResult(name, float(found.statistic), float(found.pvalue), n, 0.0)
    exact = exactly.signed_rank(differences)
    return TestResult(name, _smaller_rank_sum(differences[differences != 0]), exact.p, n, exact.smallest_p)


def _smaller_rank_sum(differences: Floats) -> float:
    """Wilcoxon's statistic: of the ranks of the positive differences, or of the negative ones."""
    ranks = scipy.stats.rankdata(np.abs(differences))
    positive = ranks[differences > 0].sum()
    return float(min(positive, ranks.sum() - positive))


def welch_log(treatment: Floats, reference: Floats) -> TestResult:
    """Welch's t-test of the logarithms: no common variance is assumed."""
    return _welch("welch-log", np.log(treatment), np.log(reference))


def mann_whitney(treatment: Floats, reference: Floats) -> TestResult:
    """Rank sums; exact, ties and all, up to 200 values in both groups, by the normal approximation beyond."""
    name, n = "mann-whitney", len(treatment) + len(reference)
    if min(len(treatment), len(reference)) < 1 or np.ptp([*treatment, *reference]) == 0:
        return _unknown(name, n)
    found = scipy.stats.mannwhitneyu(treatment, reference, method="asymptotic")
    if n > RANK_SUM_VALUES:
        return TestResult(name, float(found.statistic), float(found.pvalue), n, 0.0)
    exact = exactly.rank_sum(treatment, reference)
    return TestResult(name, float(found.statistic), exact.p, n, exact.smallest_p)


def normal_then_t(treatment: Floats, reference: Floats) -> TestResult:
    """The published rule: Welch's t-test where Shapiro-Wilk rejects neither at 5 %, else Mann-Whitney.

    Only by name, to repeat a study: a test chosen by another test does not hold its own error.
    """
    normal = all((shapiro(one).p or 0.0) > ALPHA for one in (treatment, reference))
    found = _welch("welch", treatment, reference) if normal else mann_whitney(treatment, reference)
    return TestResult(
        f"normal-then-t ({found.name})", found.statistic, found.p, found.n, found.smallest_p, found.reason
    )


def _welch(name: str, treatment: Floats, reference: Floats) -> TestResult:
    n = len(treatment) + len(reference)
    if min(len(treatment), len(reference)) < 2 or not np.ptp(treatment) + np.ptp(reference):
        return _unknown(name, n)
    found = scipy.stats.ttest_ind(treatment, reference, equal_var=False)
    return TestResult(name, float(found.statistic), float(found.pvalue), n)


PAIRED: dict[str, Callable[[Floats], TestResult]] = {
    "paired-log-t": paired_log_t,
    "sign-flip": sign_flip,
    "signed-rank": signed_rank,
}
INDEPENDENT: dict[str, Callable[[Floats, Floats], TestResult]] = {
    "welch-log": welch_log,
    "mann-whitney": mann_whitney,
    "normal-then-t": normal_then_t,
}
