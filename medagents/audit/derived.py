"""Tables computed from the authors' rows and committed, so that notebook 09 needs no rows.

`summary` gives the seven cohorts of the paper's summary figure (`cohorts.csv` names kind, file and filter of
each number). `comparison` sets the authors' answers beside those of models recorded here, case by case, on
the cases both were asked (`pairs.csv`). What is committed is the counts, never an answer.
"""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pandas as pd

from medagents import paths, stats
from medagents import rows as recorded
from medagents.audit import verdicts
from medagents.audit.columns import column, where
from medagents.audit.rows import Rows
from medagents.audit.verdicts import Claim
from medagents.types import MedagentsError

COMMITTED = paths.PACKAGE / "audit"
"""Where the committed tables are: verdicts.csv, summary.csv and comparison.csv."""


def read(name: str) -> pd.DataFrame:
    """A table of this folder: cohorts, pairs, summary or comparison; empty notes stay empty."""
    file = files("medagents.audit").joinpath(f"{name}.csv")
    return pd.read_csv(file.open(encoding="utf-8"), keep_default_na=name not in ("cohorts", "pairs"))


def summary(rows: Rows) -> pd.DataFrame:
    """Flips above floor, contagion and false alarms of seven cohorts; `rate` with its 95 % interval.

    `note` says where a number is another quantity than its measure, `screen` what the checks of
    `cohorts.csv` object.

    Raises:
        MedagentsError: a file is missing, truncated or edited.
    """
    lines = []
    for line in read("cohorts").to_dict("records"):
        given = {name: line[name] for name in ("kind", "file", "filter", "columns", "check")}
        claim = Claim(**(dict.fromkeys(Claim._fields, "") | given))
        found = verdicts.recompute(claim, rows)
        lines.append(
            {name: line[name] for name in ("cohort", "lane", "measure")}
            | {"rate": found.values[0], "rate_low": found.low, "rate_high": found.high, "n": found.n}
            | {"note": line["note"], "screen": "; ".join(verdicts.objections(claim, rows))}
        )
    return pd.DataFrame(lines).astype({"n": "Int64"})


def comparison(rows: Rows, root: Path = paths.ROWS) -> pd.DataFrame:
    """The authors' model against each recorded one, a line a pair: a 2 x 2 count over shared cases.

    `agreement` is the share of cases on which both are 1 or both 0, `chance` what independent answers with
    these rates would share; `p_rates` is the exact McNemar test of the two rates, `p_overlap` Fisher's
    test of whether the same cases are hit. `screen` names an outcome, or our answer itself, that is
    constant or nearly so on these cases: such a test tells of the other side alone. Plants may differ:
    each side's own plant counts, over the cases that can adopt it on both.

    Raises:
        MedagentsError: a file is missing, truncated or edited.
    """
    lines = []
    for pair in read("pairs").itertuples():
        theirs = _by_case(where(rows.table(pair.file), pair.filter), pair.column)
        for model, frame in _studies(root, pair.cohort, pair.experiment):
            shown = frame[frame["condition"] == pair.condition].set_index("case")
            ours = {"ours": outcomes(frame, pair.condition), "answer": shown["option"]}
            both = pd.DataFrame({"theirs": theirs, **ours}).dropna()
            if len(both):
                names = {"cohort": pair.cohort, "measure": pair.measure, "theirs": pair.theirs, "ours": model}
                found = _compared(both["theirs"] == 1, both["ours"] == 1)
                lines.append(names | found | {"screen": "; ".join(_screened(both))})
    return pd.DataFrame(lines)


def _by_case(table: pd.DataFrame, term: str) -> pd.Series:
    if table["case"].duplicated().any():
        raise MedagentsError("a case stands twice in rows that are to be compared case by case")
    return column(table, term).set_axis(table["case"])


def _studies(root: Path, cohort: str, experiment: str) -> Iterator[tuple[str, pd.DataFrame]]:
    for path in sorted((root / cohort).glob(f"*/{experiment}.csv")):
        yield path.parent.name, recorded.read(path)


def _screened(both: pd.DataFrame) -> list[str]:
    """What of their outcome, ours and our answer is constant or nearly so."""
    frame = both.rename(columns={"theirs": "their outcome", "ours": "our outcome", "answer": "our answer"})
    found = stats.screen(frame.astype(float))
    return [one.detail.rstrip(".") for one in found if one.kind in ("constant", "near-constant")]


def outcomes(frame: pd.DataFrame, condition: str) -> pd.Series:
    """1, 0 or undefined by case: right (`isolated`), adopted (an arm) or flipped (a cue).

    A case whose isolated answer is the plant cannot adopt it (Eq. 1) and is undefined.
    """
    parts = {name: part.set_index("case") for name, part in frame.groupby("condition")}
    if condition not in parts:
        return pd.Series(dtype=float)
    shown = parts[condition]
    option = shown["option"].astype(float)
    if condition == "isolated":
        return option.eq(shown["gold"]).where(option.notna()).astype(float)
    if "isolated" in parts:
        alone = parts["isolated"]["option"].astype(float).reindex(shown.index)
        plant = shown["plant"].astype(float)
        adopted = pd.Series(stats.adoption(option, alone, plant), index=shown.index)
        return adopted.where(alone != plant)
    clean = parts["clean"]["option"].astype(float).reindex(shown.index)
    known = option.notna() & clean.notna() & shown["edited"].eq(1)
    return option.ne(clean).where(known).astype(float)


def _compared(theirs: pd.Series, ours: pd.Series) -> dict[str, float]:
    n, both = len(theirs), int((theirs & ours).sum())
    only_theirs, only_ours = int((theirs & ~ours).sum()), int((~theirs & ours).sum())
    agreement = stats.wilson(n - only_theirs - only_ours, n)
    hit, one_side = int(theirs.sum()), min(theirs.nunique(), 2) < 2
    overlap = None if one_side else stats.fisher(both, hit, only_ours, n - hit).p
    return {
        "n": n,
        "both": both,
        "only_theirs": only_theirs,
        "only_ours": only_ours,
        "neither": n - both - only_theirs - only_ours,
        "theirs_rate": theirs.mean(),
        "ours_rate": ours.mean(),
        "agreement": agreement.value,
        "agreement_low": agreement.low,
        "agreement_high": agreement.high,
        "chance": theirs.mean() * ours.mean() + (1 - theirs.mean()) * (1 - ours.mean()),
        "p_rates": stats.mcnemar(only_theirs, only_ours, n).p,
        "p_overlap": overlap,
    }


def refresh(rows: Rows, folder: Path = COMMITTED) -> tuple[Path, ...]:
    """Write the committed tables anew from the rows."""
    tables = {"verdicts": verdicts.audit(rows), "summary": summary(rows), "comparison": comparison(rows)}
    for name, table in tables.items():
        verdicts.write(table, folder / f"{name}.csv")
    return tuple(folder / f"{name}.csv" for name in tables)
