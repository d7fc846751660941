"""Plant rules: which wrong option the peers assert. The rule's name is part of every row.

- `balanced-wrong` (ours): fixed for a case whatever the holdout says, letters balanced over the
  cohort, so that a bias for a letter cannot pass for an effect of the peers.
- `first-wrong` (the authors'): the first option that is neither the key nor the holdout's own
  isolated answer; it follows the holdout, so the isolated adoption rate is 0 by construction.
- `from-file`: the distractor that the cohort's own file names (vignettes: letters balanced there).
- `longest-wrong`: the longest option where it is wrong, the decoy of a rule that rewards length.
"""

from collections import Counter
from collections.abc import Sequence

from medagents.keys import digest
from medagents.types import Case, MedagentsError

RULES = ("balanced-wrong", "from-file")
"""Rules of a run: the plant of every case is fixed beforehand."""

ARM_RULES = ("first-wrong", "longest-wrong")
"""Rules of single arms, where some cases have no plant."""


def balanced_wrong(cases: Sequence[Case]) -> dict[str, int]:
    """Plant of each case by id: the wrong letter least used so far, ties by the id's digest.

    Reading cases in order makes the plants of the first n the same for every n.
    """
    used: Counter[int] = Counter()
    plants = {}
    for case in cases:
        wrong = [option for option in range(len(case.options)) if option != case.gold]
        plants[case.id] = min(wrong, key=lambda option: (used[option], digest(f"{case.id}:{option}")))
        used[plants[case.id]] += 1
    return plants


def first_wrong(case: Case, own: int | None = None) -> int | None:
    """First option that is neither key nor the holdout's own answer; None where no option is left."""
    return next((option for option in range(len(case.options)) if option not in (case.gold, own)), None)


def from_file(case: Case) -> int:
    """The distractor the cohort's file names.

    Raises:
        MedagentsError: it names none, the key, or no option at all.
    """
    plant = case.meta.get("distractor")
    if plant is None or plant == case.gold or plant not in range(len(case.options)):
        raise MedagentsError(f"case {case.id}: its file names no distractor; use the rule balanced-wrong")
    return int(plant)


def longest_wrong(case: Case) -> int | None:
    """The longest option by characters; None where it is the key or shares its length with another.

    Many cases have none, so it is the rule of an arm and never of a run.
    """
    longest = max(range(len(case.options)), key=lambda option: len(case.options[option]))
    tied = sum(len(option) == len(case.options[longest]) for option in case.options) > 1
    return None if tied or longest == case.gold else longest


def default_rule(cases: Sequence[Case]) -> str:
    """`from-file` where every case names its distractor, else `balanced-wrong`."""
    named = all(case.meta.get("distractor") is not None for case in cases)
    return "from-file" if named else "balanced-wrong"


def planned(cases: Sequence[Case], rule: str) -> dict[str, int]:
    """Plants by case id, for the rules that do not wait for the holdout's answer.

    Raises:
        MedagentsError: unknown rule, or one that needs the holdout's answer.
    """
    if rule == "balanced-wrong":
        return balanced_wrong(cases)
    if rule == "from-file":
        return {case.id: from_file(case) for case in cases}
    why = "is one of single arms" if rule in ARM_RULES else "is unknown"
    raise MedagentsError(f"plant rule {rule!r} {why}; a run takes {' or '.join(RULES)}")


def recorded_as(experiment: str, rule: str, cases: Sequence[Case]) -> str:
    """Name that the recordings and rows of a run have: with a rule that is not the cohort's own behind an @,
    so that neither replaces the other.
    """
    return experiment if rule == default_rule(cases) else f"{experiment}@{rule}"


def parted(recorded: str) -> tuple[str, str]:
    """Experiment and rule of such a name; the rule is empty where it is the cohort's own."""
    experiment, _, rule = recorded.partition("@")
    return experiment, rule
