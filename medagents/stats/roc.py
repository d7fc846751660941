"""Area under the ROC curve, of observations that may belong together."""

import numpy as np
from scipy import stats as sps

from medagents.stats.inference import CONFIDENCE, Column, Estimate, binary, cluster_codes, together


def auc(scores: Column, labels: Column, clusters: Column) -> Estimate:
    """Chance that a case labelled 1 scores above one labelled 0, a tie counting half.

    The interval is DeLong's (Biometrics 1988) where every observation is its own cluster, and
    Obuchowski's (Biometrics 1997) where clusters repeat. NaN where either label has fewer than two
    clusters.
    """
    [score], [label] = together(scores=scores), binary(labels=labels)
    codes, _ = cluster_codes(clusters, len(score))
    known = ~np.isnan(score) & ~np.isnan(label)
    score, label, codes = score[known], label[known] == 1, codes[known]
    groups = len(np.unique(codes))
    if min(len(np.unique(codes[label])), len(np.unique(codes[~label]))) < 2:
        return Estimate(np.nan, np.nan, np.nan, len(score), groups)
    wins = np.sign(score[label][:, None] - score[~label][None, :]) / 2 + 0.5
    area = float(wins.mean())
    # How far each observation, then each cluster, departs from the mean: as a positive, as a negative.
    apart = np.zeros((2, codes.max() + 1))
    np.add.at(apart[0], codes[label], (wins.mean(axis=1) - area) / label.sum())
    np.add.at(apart[1], codes[~label], (wins.mean(axis=0) - area) / (~label).sum())
    sizes = [len(np.unique(codes[side])) for side in (label, ~label)]
    variance = sum(size / (size - 1) * (side**2).sum() for size, side in zip(sizes, apart, strict=True))
    variance += 2 * groups / (groups - 1) * (apart[0] * apart[1]).sum()
    half = float(sps.norm.ppf((1 + CONFIDENCE) / 2) * np.sqrt(max(variance, 0.0)))
    return Estimate(area, max(0.0, area - half), min(1.0, area + half), len(score), groups)
