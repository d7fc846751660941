"""What the papers print: `printed` gives the values that figures set beside ours. The audit is to come."""

from importlib.resources import files

import pandas as pd


def printed(experiment: str) -> pd.DataFrame:
    """Printed values of the first paper for one experiment.

    Columns: condition, cohort, model, quantity, value (a rate), k, n, section. `k` is the count
    that the printed rate makes of n. The models are the paper's, retired since; never ours.
    """
    table = pd.read_csv(
        files("medagents.audit").joinpath("printed.csv").open(encoding="utf-8"), dtype={"section": str}
    )
    return table[table["experiment"] == experiment].drop(columns="experiment").reset_index(drop=True)
