"""The statistics by name: what each is, its formula, whose it is, and what ours is held against.

For docs/reference/statistics.md, which explains the letters; a test holds that every name which a user may choose has
its row.
"""

from __future__ import annotations

from typing import NamedTuple


class Method(NamedTuple):
    """`formula`: empty where `what` says all of it. `source`: empty where it is nobody's in particular."""

    what: str
    formula: str
    source: str
    held_against: str


RATIOS: dict[str, Method] = {
    "ratio": Method(
        "ratio of geometric means, paired within blocks", "exp(m)", "Fleming and Wallace 1986", ""
    ),
    "scatter": Method(
        "from block to block, half an interval on logarithms",
        "c s / √n, c = t(0.975; n - 1) for one ratio",
        "Student 1908",
        "pingouin, simulation",
    ),
    "measured": Method(
        "what measuring leaves unsure, at the same tail",
        "z √(Σ u²) / n, u of each difference",
        "JCGM 100:2008 (GUM)",
        "",
    ),
    "interval": Method(
        "both in quadrature", "exp(m ± √(scatter² + measured²))", "JCGM 100:2008 (GUM)", "simulation"
    ),
    "better, worse": Method(
        "the interval lies below, above 1, and equivalence is not shown", "high < 1; low > 1", "", ""
    ),
    "equivalent": Method(
        "two one-sided t-tests (TOST) against the edges of the margin δ",
        "|m| + t(0.95; n - 1) s / √n ≤ ln(1 + δ)",
        "Schuirmann 1987",
        "statsmodels, pingouin, simulation",
    ),
    "cheapest": Method(
        "everyone against the best of the others; who is not shown to cost more stays",
        "m > c₁ s / √n drops",
        "Hsu 1981",
        "simulation",
    ),
    "median-unbiased": Method(
        "of an adaptive campaign: the ratio under which half of all campaigns would have stopped lower",
        "",
        "Emerson and Fleming 1990",
        "simulation",
    ),
    "adaptive interval": Method(
        "a t-test with boundaries exact for all looks together",
        "P(any |t| at a look > its c) = 0.05, spent by Lan and DeMets",
        "Jennison and Turnbull 1989; Lan and DeMets 1983",
        "simulation",
    ),
    "its sign-flip interval": Method(
        "means of all subsets of the differences, by their rank",
        "",
        "Hartigan 1969",
        "enumeration, simulation",
    ),
}
ERRORS: dict[str, Method] = {
    "simultaneous": Method(
        "critical value of k ratios to one reference, by quadrature",
        "P(max |t| ≤ c) = 0.95",
        "Dunnett 1955",
        "simulation, his table",
    ),
    "holm": Method(
        "p in ascending order, never falling", "p of rank i, times k - i + 1", "Holm 1979", "statsmodels"
    ),
    "bonferroni": Method("a simpler bound", "p k", "Dunn 1961", "statsmodels"),
    "per-ratio": Method("each interval by itself", "p", "", ""),
}
TESTS: dict[str, Method] = {
    "paired-log-t": Method(
        "t-test of the log differences; the headline's own", "t = m √n / s", "Student 1908", "pingouin"
    ),
    "sign-flip": Method(
        "share of all changes of signs whose mean is as far from 0; drawn beyond 16 blocks, "
        "of more than 256 in groups of neighbours",
        "#{σ : |Σ σᵢ dᵢ| ≥ |Σ dᵢ|} / 2ⁿ",
        "Fisher 1935",
        "enumeration",
    ),
    "signed-rank": Method(
        "sum of the ranks of positive differences; exact, ties and all, to 500 blocks",
        "W = Σ rank(|dᵢ|) over dᵢ > 0",
        "Wilcoxon 1945",
        "R, enumeration",
    ),
    "welch-log": Method(
        "t-test of two groups of logarithms, variances apart",
        "t = (m₁ - m₂) / √(s₁² / n₁ + s₂² / n₂)",
        "Welch 1947",
        "statsmodels",
    ),
    "mann-whitney": Method(
        "pairs of runs in which one is greater; exact, ties and all, to 200 runs in both",
        "U = #{x > y} + #{x = y} / 2",
        "Mann and Whitney 1947",
        "R, SciPy, enumeration",
    ),
    "normal-then-t": Method(
        "a published rule: Welch's t where Shapiro-Wilk rejects neither group at 5 %, else Mann-Whitney",
        "",
        "",
        "its parts",
    ),
    "friedman": Method(
        "ranks within blocks, from three treatments on",
        "χ² = 12 n / (k (k + 1)) Σ (r̄ⱼ - (k + 1) / 2)²",
        "Friedman 1937",
        "R",
    ),
    "nemenyi": Method(
        "which mean ranks differ after it; bars join what is closer than the critical difference",
        "CD = q(0.05; k) √(k (k + 1) / (6 n)) / √2",
        "Demšar 2006",
        "scikit-posthocs, published quantiles",
    ),
}
EFFECTS: dict[str, Method] = {
    "a12": Method(
        "how often one run costs more than another's",
        "P(x > y) + P(x = y) / 2",
        "Vargha and Delaney 2000",
        "pingouin, counting",
    ),
    "cliffs_delta": Method("the same from -1 to 1", "2 A12 - 1", "Cliff 1993", "pingouin, counting"),
    "vargha-delaney": Method(
        "from which A12 on an effect is small, medium, large",
        "0.56, 0.64, 0.71",
        "Vargha and Delaney 2000",
        "",
    ),
    "icse22": Method("the same as a study had it", "0.6, 0.7, 0.8", "Georgiou et al. 2022", ""),
    "over_best": Method(
        "cost over the smallest cost of the row", "c / min c", "Dolan and Moré 2002", "by hand"
    ),
    "energy_delay_js": Method("energy-delay product", "E t", "Gonzalez and Horowitz 1996", "by hand"),
    "cost_to_target": Method(
        "costs up to the first epoch at the target", "Σ over epochs ≤ first at target", "", "search by hand"
    ),
    "pareto_front": Method("what nothing beats in all of energy, time and quality", "", "", "search by hand"),
    "break_even": Method(
        "epochs until what is paid once has paid off", "(F₂ - F₁) / (e₁ - e₂)", "", "search by hand"
    ),
}
CHECKS: dict[str, Method] = {
    "shapiro": Method(
        "whether differences look normal; reported, chooses nothing silently",
        "W",
        "Shapiro and Wilk 1965",
        "their example",
    ),
    "lag1": Method(
        "autocorrelation with the next run", "Σ (xᵢ - x̄)(xᵢ₊₁ - x̄) / Σ (xᵢ - x̄)²", "", "statsmodels"
    ),
    "drift": Method(
        "rank correlation with the order of runs",
        "Spearman's ρ of value and place",
        "Spearman 1904",
        "statsmodels",
    ),
    "spearman": Method(
        "correlation of ranks of two quantities, Holm over all pairs", "ρ", "Spearman 1904", "R, pingouin"
    ),
    "heterogeneity": Method(
        "how much nodes differ",
        "Q = Σ bⱼ (m̄ⱼ - m̄)² / s²;  I² = 1 - (k - 1) / Q",
        "Cochran 1954; Higgins and Thompson 2002",
        "simulation",
    ),
    "three-sigma": Method(
        "marks, deletes nothing; cannot mark any of ten values", "|x - x̄| > 3 s", "", "by hand"
    ),
    "tukey": Method(
        "marks, deletes nothing", "x < q₁ - 1.5 (q₃ - q₁) or x > q₃ + 1.5 (q₃ - q₁)", "Tukey 1977", "by hand"
    ),
    "negative": Method(
        "marks, deletes nothing: a difference of a counter that wrapped unseen", "x < 0", "", "by hand"
    ),
}
PLANNING: dict[str, Method] = {
    "noise": Method(
        "standard deviation of one run, as a share; a log difference spreads by",
        "√(2 ln(1 + noise²))",
        "",
        "",
    ),
    "power": Method(
        "that a difference of this effect is found",
        "P(|T| > t(0.975; n - 1)), T noncentral by √n ln(1 / (1 - effect)) / spread",
        "noncentral t",
        "statsmodels, simulation",
    ),
    "blocks_needed": Method("the fewest blocks with 80 % power", "", "", "statsmodels, simulation"),
    "resolves": Method(
        "the effect that so many blocks find in 80 % of campaigns, from a null campaign's noise", "", "", ""
    ),
}
TABLES: dict[str, dict[str, Method]] = {
    "The ratio, its interval and its verdict": RATIOS,
    "Several ratios at once": ERRORS,
    "Tests": TESTS,
    "Effects": EFFECTS,
    "Checks and cleaning rules": CHECKS,
    "Planning": PLANNING,
}
METHODS: dict[str, Method] = {name: one for table in TABLES.values() for name, one in table.items()}
