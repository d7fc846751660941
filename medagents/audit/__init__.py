"""The paper audit: what the papers print, recomputed from the authors' per-case rows.

Start at `verdicts` (the engine and its `claims.csv`); `rows` reads the rows, `quantities` recomputes,
`intervals` says how sure, `checks` objects, `derived` and `draw` serve notebook 09. `printed` gives the
values that figures of other notebooks set beside ours.
"""

from importlib.resources import files

import pandas as pd


def printed(experiment: str) -> pd.DataFrame:
    """Printed values of the first paper for one experiment.

    Columns: condition, cohort, model, quantity, value (a rate), k, n, section, claim_id, source. `k` is the
    count that the printed rate makes of n. `source` is where the value was read: the bodies of the paper's
    tables are not in the text at hand, so theirs are from the authors' release documents. The models are
    the paper's, retired since; never ours.
    """
    table = pd.read_csv(
        files("medagents.audit").joinpath("printed.csv").open(encoding="utf-8"), dtype={"section": str}
    )
    return table[table["experiment"] == experiment].drop(columns="experiment").reset_index(drop=True)
