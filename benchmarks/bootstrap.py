"""Clustered bootstrap of one difference of rates: ours against `scipy.stats.bootstrap`.

834 images of 600 studies, as in the largest imaging cohort of arXiv 2608.03744, 20,000 resamples.
scipy resamples (sum, size) pairs of clusters, which is the same statistic; `batch` keeps its index
matrix small. Run: python benchmarks/bootstrap.py
"""

import sys
import time
from pathlib import Path

import numpy as np
from scipy import stats as sps

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from medagents import stats

CASES, CLUSTERS, ARMS, BATCH = 834, 600, 8, 500


def best_of(call, repeats=3):
    """Least wall time of a few runs, the one least disturbed by others, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return min(times), result


def main():
    rng = np.random.default_rng(1)
    study = np.concatenate([np.arange(CLUSTERS), rng.integers(0, CLUSTERS, CASES - CLUSTERS)])
    pull = rng.beta(2, 2, CLUSTERS)[study]
    isolated = (rng.random(CASES) < 0.4 * pull).astype(float)
    shared = (rng.random((CASES, ARMS)) < pull[:, None]).astype(float)
    differences = shared - isolated[:, None]
    sums = np.bincount(study, weights=differences[:, 0])
    sizes = np.bincount(study)

    def theirs():
        return sps.bootstrap(
            (sums, sizes),
            lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
            n_resamples=stats.RESAMPLES,
            batch=BATCH,
            vectorized=True,
            paired=True,
            confidence_level=stats.CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(2),
        ).confidence_interval

    t_ours, ours = best_of(lambda: stats.paired_difference(shared[:, 0], isolated, study))
    t_scipy, scipy = best_of(theirs)
    t_arms, arms = best_of(lambda: stats.bootstrap_columns(differences, study))
    apart = max(abs(ours.low - scipy.low), abs(ours.high - scipy.high))
    print(f"{CASES} cases, {CLUSTERS} clusters, {stats.RESAMPLES} resamples, best of 3")
    print(f"ours, 1 arm      {t_ours:6.2f} s   {ours.value:.4f} [{ours.low:.4f}, {ours.high:.4f}]")
    print(f"scipy, 1 arm     {t_scipy:6.2f} s   {ours.value:.4f} [{scipy.low:.4f}, {scipy.high:.4f}]")
    print(f"ours, {ARMS} arms     {t_arms:6.2f} s   first arm as above: {arms[0] == ours}")
    print(f"scipy / ours     {t_scipy / t_ours:6.2f}     for {ARMS} arms {ARMS * t_scipy / t_arms:.2f}")
    print(f"ends at most {apart:.4f} apart")
    return 0 if apart < 0.005 and arms[0] == ours else 1


if __name__ == "__main__":
    sys.exit(main())
