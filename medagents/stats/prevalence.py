"""A rate measured with a test that errs, corrected for the test's own measured errors."""

import math

from scipy import stats as sps

from medagents.stats.inference import CONFIDENCE, Estimate
from medagents.types import MedagentsError


def rogan_gladen(k: int, n: int, sensitivity: Estimate, specificity: Estimate) -> Estimate:
    """The true rate behind `k` positives of `n`, with an interval that carries three errors.

    The point is Rogan and Gladen's (Am J Epidemiol 1978; 107: 71-76), held within 0 to 1. The
    interval is that of Lang and Reiczigel (Prev Vet Med 2014; 113: 13-22): their adjusted Wald limits
    count the sampling error of the rate and that of both estimates of the test. It assumes that the
    three samples are independent and that the test errs on the `n` as it did where it was measured. A
    rate that no true rate could give then (rarer than the false positives, or more frequent than the
    sensitivity allows) speaks against that: `note` says so, and there is no interval.

    Args:
        k: positives by the test.
        n: observations, at least one.
        sensitivity: share of true positives found, as `wilson` gives it: its `n` counts.
        specificity: share of true negatives cleared, likewise.

    Raises:
        MedagentsError: counts out of range, no labelled positives or negatives, or a test no better
            than chance (sensitivity + specificity not above 1), which tells nothing of the true rate.
    """
    if not 0 <= k <= n or n < 1 or min(sensitivity.n, specificity.n) < 1:
        raise MedagentsError(f"{k} of {n}: a count of positives and a labelled sample of both kinds needed")
    youden = sensitivity.value + specificity.value - 1
    if youden <= 0:
        raise MedagentsError("a test no better than chance cannot be corrected for; label more or mend it")
    point = (k / n + specificity.value - 1) / youden
    z = float(sps.norm.ppf((1 + CONFIDENCE) / 2))
    rate, rate_n = (k + z**2 / 2) / (n + z**2), n + z**2
    found, found_n = (sensitivity.value * sensitivity.n + 1) / (sensitivity.n + 2), sensitivity.n + 2
    clear, clear_n = (specificity.value * specificity.n + 1) / (specificity.n + 2), specificity.n + 2
    centre = (rate + clear - 1) / (found + clear - 1)
    of_rate, of_found, of_clear = (
        share * (1 - share) / size for share, size in ((rate, rate_n), (found, found_n), (clear, clear_n))
    )
    error = math.sqrt(of_rate + of_found * centre**2 + of_clear * (1 - centre) ** 2) / (found + clear - 1)
    centre += 2 * z**2 * (centre * of_found - (1 - centre) * of_clear)
    low, high, value = (min(1.0, max(0.0, x)) for x in (centre - z * error, centre + z * error, point))
    note = "rarer than the test's own false positives" if point < 0 else ""
    note = "more frequent than the test's sensitivity allows" if point > 1 else note
    if note:
        low = high = math.nan
    return Estimate(value, low, high, n, note=note)
