"""The tables of notebooks 06 to 08: turns of committees in, one tidy line a committee out.

A committee that names no option has not answered: it stands in `unanswered` and leaves every rate. Rates
carry `stats.clustered_rate`, paired differences `stats.rate_difference`, tests are exact McNemar.
"""

from medagents.committee_tables.benchmark import accuracy, equal_calls, screen
from medagents.committee_tables.budget import gaps, sample_curve
from medagents.committee_tables.cascade import (
    cascade,
    contrasts,
    detection,
    persuaded,
    screen_cascade,
    verdicts,
)
from medagents.committee_tables.exchange import (
    dissents,
    ledger,
    moves,
    silent_agreement,
    triggers,
    turning_point,
)
from medagents.committee_tables.sessions import RIGHT, WRONG, by_committee, decisions, paired, statuses, vote

__all__ = [
    "RIGHT",
    "WRONG",
    "accuracy",
    "by_committee",
    "cascade",
    "contrasts",
    "decisions",
    "detection",
    "dissents",
    "equal_calls",
    "gaps",
    "ledger",
    "moves",
    "paired",
    "persuaded",
    "sample_curve",
    "screen",
    "screen_cascade",
    "silent_agreement",
    "statuses",
    "triggers",
    "turning_point",
    "verdicts",
    "vote",
]
