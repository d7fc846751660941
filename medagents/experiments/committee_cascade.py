"""The cascade inside committees: two scripted members assert one wrong option, then the right one.

Nobody has crossed these: does a Catfish or a mediator stop a cascade, and does a referee notice? The same
boards inside every committee, on the same cases, and a referee's private re-query.
"""

from collections.abc import Iterator

from medagents.committees.baselines import Debate, Judgment, MixtureOfAgents, Voting, by_turn
from medagents.committees.catfish import Catfish
from medagents.committees.dissent import NOBODY, Dissent
from medagents.committees.medorch import MedOrch
from medagents.committees.reading import INTERMEDIATE
from medagents.committees.session import NO_PEERS, Committee, Session
from medagents.cues.text import option_order
from medagents.experiments.catfish_benchmark import ROUNDS
from medagents.experiments.sitting import Sitting
from medagents.prompts import fill

PRIVATE = "private"

COMMITTEES: tuple[Committee, ...] = (
    Voting(),
    Judgment(),
    Debate(),
    MixtureOfAgents(),
    Catfish("no_catfish", ROUNDS, INTERMEDIATE, Dissent(NOBODY)),
    Catfish("catfish_debate", ROUNDS, INTERMEDIATE),
    MedOrch(),
    MedOrch("medorch_asked", decides=False),
)


def run_case(sitting: Sitting) -> Iterator[Session]:
    """The private re-query, then one session a committee and board."""
    yield private(sitting)
    for committee in COMMITTEES:
        for board in sitting.boards():
            yield committee(sitting.view, sitting.team, board)


def private(sitting: Sitting) -> Session:
    """What a referee asks: the first expert alone, once more, the options in another order.

    Another order rather than other words: asked in other words, a small model may fall back on one letter
    (notebook 04), and a bias for a letter would pass for disagreement. The option is mapped back.
    """
    view = option_order(sitting.case)
    said = sitting.team.experts[0].say(
        view, fill("committee/answer"), condition=PRIVATE, stage="answer", depth=1, role="referee"
    )
    return by_turn(PRIVATE, NO_PEERS, (), said)
