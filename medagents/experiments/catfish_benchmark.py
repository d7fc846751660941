"""Catfish benchmark (arXiv 2505.21503): does a member whose duty is to dissent help, and by what?

The committee as routed, then with every case sent to one level, with one tone for all, unchallenged, and
with a placebo that dissents without a reason; beside the experts alone, their vote and as many samples of
the first model as the committee makes calls.
"""

from collections.abc import Iterator

from medagents.committees.baselines import SelfConsistency, Voting, singles
from medagents.committees.catfish import USUAL, Catfish
from medagents.committees.dissent import NOBODY, RANDOM, TONES, Dissent
from medagents.committees.reading import BASIC, INTERMEDIATE
from medagents.committees.session import Committee, Session
from medagents.experiments.sitting import Sitting

ROUNDS = 2
"""Most challenges in a debate; the committee's default of five is for models with more to say."""

SAMPLES = 16
"""Calls of the longest routed debate with three experts and two challenges, so that self-consistency can
be given as many."""


def variant(name: str, level: str | None = INTERMEDIATE, dissent: Dissent = USUAL) -> Catfish:
    """A Catfish committee of this experiment."""
    return Catfish(name, ROUNDS, level, dissent)


COMMITTEES: tuple[Committee, ...] = (
    Voting(),
    SelfConsistency(SAMPLES),
    variant("catfish", None),
    variant("catfish_basic", BASIC),
    variant("catfish_debate"),
    variant("no_catfish", dissent=Dissent(NOBODY)),
    variant("random_dissent", dissent=Dissent(RANDOM)),
    variant("always", dissent=Dissent(trigger=0.0)),
    *(variant(f"tone_{tone}", dissent=Dissent(tone=tone)) for tone in TONES),
)


def run_case(sitting: Sitting) -> Iterator[Session]:
    """One session a committee, the single experts first."""
    for committee in (*singles(sitting.team), *COMMITTEES):
        yield committee(sitting.view, sitting.team)
