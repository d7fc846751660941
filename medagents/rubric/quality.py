"""How well the detector reads: replies labelled by hand, and a naming rate corrected for its errors.

The replies are ours, labelled as they were written. The part `held_out` was set aside before the patterns
were last mended, on the part `development` alone, and has mended none. One author wrote replies and patterns,
so expect a little worse of replies by others.
"""

import json
from functools import cache
from pathlib import Path

import pandas as pd

from medagents import stats, tables
from medagents.rubric.naming import names_rubric

FILE = Path(__file__).with_name("replies.jsonl")
ALL = "all"


@cache
def _read() -> pd.DataFrame:
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    table = pd.DataFrame(lines)
    found = [names_rubric(reply) for reply in table["reply"]]
    return table.assign(
        found_names=[naming.names for naming in found],
        found_mentions=[naming.mentions for naming in found],
        span=[naming.span for naming in found],
        rule=[naming.rule for naming in found],
    )


def labelled_replies() -> pd.DataFrame:
    """The labelled replies and what the detector makes of them, a line each.

    Labels: `names` (the evaluation rule is given as a reason for the answer) and `mentions` (it is spoken
    of at all). `kind` says what makes a reply hard, `modality` what the question showed, `part` what the
    reply served for (`development` or `held_out`). The detector: `found_names`, `found_mentions`, `span` and
    `rule` (see `Naming`).
    """
    return _read().copy()


def naming_quality(part: str = "held_out", label: str = "names", by: str = "modality") -> pd.DataFrame:
    """Precision, recall and specificity with Wilson intervals: all replies, then a line a group.

    They hold for replies like these. Nearly half name the rubric, and precision falls where fewer do. The
    errors lie in two `kind`s: recall in "reworded" reasons without a word of marking, specificity in replies
    that speak of the evaluation and give another reason, which the detector often takes for naming.

    Args:
        part: `development`, on which the patterns were written, or `held_out`.
        label: `names` or `mentions`.
        by: `modality`, or `kind` to see where the errors lie (undefined rates are NaN).
    """
    table = labelled_replies().query("part == @part")
    groups = {ALL: table} | dict(list(table.groupby(by, sort=False)))
    return pd.DataFrame([{by: name} | _quality(group, label) for name, group in groups.items()])


def _quality(part: pd.DataFrame, label: str) -> dict[str, float]:
    true, found = part[label], part[f"found_{label}"]
    return (
        {
            "n": len(part),
            "true": int(true.sum()),
            "found": int(found.sum()),
            "both": int((true & found).sum()),
        }
        | tables.estimate(stats.rate(true[found]), "precision")
        | tables.estimate(stats.rate(found[true]), "recall")
        | tables.estimate(stats.rate(~found[~true]), "specificity")
    )


def screen_quality(part: str = "held_out") -> list[stats.Finding]:
    """What the labelled replies of a part cannot tell of the detector (`stats.screen`)."""
    table = labelled_replies().query("part == @part")
    columns = ["names", "mentions", "found_names", "found_mentions"]
    labels = {f"found_{name}": name for name in ("names", "mentions")}
    return stats.screen(table[columns].astype(int).reset_index(drop=True), labels=labels)


def corrected_naming(named: int, n: int, label: str = "names") -> stats.Estimate:
    """The share that truly names (or mentions) the rubric where the detector finds `named` of `n`.

    `stats.rogan_gladen` with recall and specificity on the held-out part. It assumes that the replies
    are as hard as those. Replies that hardly ever speak of the evaluation are easier: "names" is then
    corrected too far down (see `Estimate.note`), and "mentions", without a false positive, is safer.
    """
    table = labelled_replies().query("part == 'held_out'")
    true, found = table[label], table[f"found_{label}"]
    return stats.rogan_gladen(named, n, stats.rate(found[true]), stats.rate(~found[~true]))
