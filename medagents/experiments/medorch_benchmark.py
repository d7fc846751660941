"""MedOrch benchmark (arXiv 2508.05996, sections 4.1 and 4.2): does a mediator help, beyond more calls?

The mediated committee, as in the paper and with a mediator that must ask; of the latter the ablations
(another mediator, another judge, no judge, two experts, one model in three copies); and the baselines of
the paper's Table 1 on the same experts.
"""

from collections.abc import Iterator

from medagents.committees.baselines import Debate, Judgment, MixtureOfAgents, Routed, Voting, singles
from medagents.committees.medorch import MedOrch
from medagents.committees.session import Committee, Session
from medagents.experiments.sitting import Sitting

COMMITTEES: tuple[Committee, ...] = (
    Voting(),
    Judgment(),
    MixtureOfAgents(),
    Debate(),
    Routed(),
    MedOrch(),
    MedOrch("medorch_asked", decides=False),
    MedOrch("medorch_voted", decides=False, judged=False),
    MedOrch("medorch_pair", decides=False, experts=2),
    MedOrch("medorch_same_model", decides=False, homogeneous=3),
)


def run_case(sitting: Sitting) -> Iterator[Session]:
    """One session a committee, the single experts first; then those with a smaller mediator or judge (the
    second expert's model).
    """
    for committee in (*singles(sitting.team), *COMMITTEES):
        yield committee(sitting.view, sitting.team)
    yield MedOrch("medorch_small_mediator", decides=False)(sitting.view, sitting.with_model_of(1, "mediator"))
    yield MedOrch("medorch_small_judge", decides=False)(sitting.view, sitting.with_model_of(1, "judge"))
