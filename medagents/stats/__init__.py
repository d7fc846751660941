"""Every rate, test and interval of the project, thin over scipy and statsmodels.

Two rules hold throughout. **Undefined is not zero**: NaN (or None) marks an observation that does
not exist, such as an unanswered reply; it leaves numerator and denominator alike, and a rate over
nothing is an error or prints as `n=0`. **One clustering**: whatever needs to know which
observations belong together asks `cluster_codes`.

Columns are paired by position; the index of a pandas Series is ignored.
"""

from medagents.stats.endpoints import (
    LETTER_FLOOR,
    Graded,
    Susceptibility,
    adoption,
    contagion,
    flip_above_noise,
    graded_contagion,
    harmful,
    isolated_margin,
    option_probabilities,
    susceptibility,
)
from medagents.stats.inference import (
    CHUNK_BYTES,
    CONFIDENCE,
    RESAMPLES,
    SEED,
    Estimate,
    Fisher,
    Interval,
    McNemar,
    benjamini_hochberg,
    bootstrap,
    bootstrap_columns,
    cluster_codes,
    fisher,
    holm,
    mcnemar,
    mcnemar_from,
    paired_difference,
    rate,
    wilson,
)
from medagents.stats.prevalence import rogan_gladen
from medagents.stats.roc import auc
from medagents.stats.screening import MINORITY, Finding, screen
from medagents.stats.small_samples import (
    bonett_price,
    clopper_pearson,
    clustered_mean,
    clustered_rate,
    rate_difference,
)

__all__ = [
    "CHUNK_BYTES",
    "CONFIDENCE",
    "LETTER_FLOOR",
    "MINORITY",
    "RESAMPLES",
    "SEED",
    "Estimate",
    "Finding",
    "Fisher",
    "Graded",
    "Interval",
    "McNemar",
    "Susceptibility",
    "adoption",
    "auc",
    "benjamini_hochberg",
    "bonett_price",
    "bootstrap",
    "bootstrap_columns",
    "clopper_pearson",
    "cluster_codes",
    "clustered_mean",
    "clustered_rate",
    "contagion",
    "fisher",
    "flip_above_noise",
    "graded_contagion",
    "harmful",
    "holm",
    "isolated_margin",
    "mcnemar",
    "mcnemar_from",
    "option_probabilities",
    "paired_difference",
    "rate",
    "rate_difference",
    "rogan_gladen",
    "screen",
    "susceptibility",
    "wilson",
]
