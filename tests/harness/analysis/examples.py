"""Data and results of other implementations, for the tests of the statistics. Origins stand beside the numbers."""

from __future__ import annotations

import numpy as np

# Eight blocks; the results were computed with statsmodels 0.15.0 and pingouin 0.7.0.
TREATMENT = np.array([41.2, 39.8, 42.5, 40.1, 41.9, 40.7, 41.1, 42.2])
REFERENCE = np.array([40.6, 40.1, 41.3, 40.4, 41.2, 40.2, 41.5, 41.0])
DIFFERENCES = np.log(TREATMENT / REFERENCE)
INTERVAL = (0.99628646, 1.02316479)  # exp of statsmodels DescrStatsW(differences).tconfint_mean(0.05)
PAIRED_T, PAIRED_P = 1.70368183538963, 0.13221923214725  # pingouin.ttest(log, log, paired=True)
WELCH_T, WELCH_P = 1.0049107295921573, 0.3366873152415303  # statsmodels ttest_ind(usevar="unequal")
TOST_P = {0.02: 0.05625417929775, 0.05: 0.00010922891620}  # statsmodels ttost_paired, pingouin tost agree

# statsmodels.stats.multitest.multipletests
RAW_P = [0.01, 0.04, 0.03, 0.005, 0.5, 0.0002]
HOLM_P = [0.04, 0.09, 0.09, 0.025, 0.5, 0.0012]
BONFERRONI_P = [0.06, 0.24, 0.18, 0.03, 1.0, 0.0012]

# R's example of wilcox.test (Hollander and Wolfe 1973, depression scores): V = 40, one-sided p = 0.01953.
DEPRESSION = (
    np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]),
    np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]),
)
DEPRESSION_V, DEPRESSION_P = 40.0, 2 * 0.01953
# R's example of wilcox.test for two samples (permeability of membranes): W = 35, one-sided p = 0.1272.
PERMEABILITY = (
    np.array([0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]),
    np.array([1.15, 0.88, 0.90, 0.74, 1.21]),
)
PERMEABILITY_W, PERMEABILITY_P = 35.0, 2 * 0.1272
# R's example of cor.test (Hollander and Wolfe, lightness of tuna): Spearman's rho = 0.6.
TUNA = (
    [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1],
    [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8],
)
TUNA_RHO, TUNA_P = 0.6, 0.08762282904140  # p: pingouin.corr(method="spearman"), the t approximation
# R's example of friedman.test (rounding first base, 22 players in three ways): chi-squared = 11.143, p = 0.003805.
ROUNDING = np.array([
    5.40, 5.50, 5.55, 5.85, 5.70, 5.75, 5.20, 5.60, 5.50, 5.55, 5.50, 5.40, 5.90, 5.85, 5.70, 5.45, 5.55, 5.60,
    5.40, 5.40, 5.35, 5.45, 5.50, 5.35, 5.25, 5.15, 5.00, 5.85, 5.80, 5.70, 5.25, 5.20, 5.10, 5.65, 5.55, 5.45,
    5.60, 5.35, 5.45, 5.05, 5.00, 4.95, 5.50, 5.50, 5.40, 5.45, 5.55, 5.50, 5.55, 5.55, 5.35, 5.45, 5.50, 5.55,
    5.50, 5.45, 5.25, 5.65, 5.60, 5.40, 5.70, 5.65, 5.55, 6.30, 6.30, 6.25,
]).reshape(22, 3)  # fmt: skip
ROUNDING_CHI2, ROUNDING_P = 11.142857142857132, 0.003805040775511383
NEMENYI_P = {(0, 1): 0.6374271670186252, (0, 2): 0.004409820445457013, (1, 2): 0.06137075925394708}
# The last: scikit_posthocs 0.17.1, posthoc_nemenyi_friedman.

# statsmodels.tsa.stattools.acf(SERIES, nlags=1, fft=False)[1]
SERIES = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0])
SERIES_LAG1 = -0.14408015
# Shapiro and Wilk 1965, Biometrika 52:591, their example: weights of eleven men, W = 0.79, p < 0.01.
WEIGHTS = np.array([148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236], dtype=float)
WEIGHTS_W = 0.79
