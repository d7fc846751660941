"""The Catfish's advanced level: three teams in turn, what each reads, and how deep it is."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from seats import Script, Seats, always

from medagents.committees.catfish import Catfish
from medagents.committees.dissent import Dissent
from medagents.committees.session import PEER, Session
from medagents.committees.teams import TEAMS, UNASSIGNED, members_of, subtasks
from medagents.experiments.sitting import Sitting
from medagents.types import Case

REASONED = "its letter, then one short sentence that says why."
ADVANCED = Catfish(level="advanced")


@pytest.fixture
def case(cases: tuple[Case, ...]) -> Case:
    """The sailor; key B, of A to D."""
    return cases[0]


def leader(report: str, tasks: str = "1. The gums\n2. The diet") -> Script:
    return lambda ask, _: tasks if "Name two points" in ask else report


def held(
    root: Path, case: Case, experts: Sequence[Script], board: int = 0, **others: Script
) -> tuple[Session, Seats]:
    seats = Seats(root, experts, **others)
    sitting = Sitting(case, 2, "rule", seats.team(case))
    return ADVANCED(sitting.view, sitting.team, sitting.boards()[board]), seats


def test_a_case_on_which_all_agree_is_challenged_in_every_team_and_once_more_and_is_seventeen_calls_deep(
    tmp_path: Path, case: Case
) -> None:
    found, _ = held(tmp_path, case, [leader("B. We agree."), always("B. Yes."), always("B. Too.")])
    # Three teams of assignment, answers, challenge, responses and report; one more challenge; the chair.
    assert [turn.stage for turn in found.turns] == [
        *["assign", "answer", "answer", "challenge", "respond", "respond", "report"] * 3,
        *["challenge", "decide"],
    ]
    assert (
        found.depth == 17
        and found.notes["challenged"] == "4"
        and found.notes["tone"] == " ".join(["strong"] * 4)
    )
    assert [turn.depth for turn in found.turns[:7]] == [1, 2, 2, 3, 4, 4, 5]
    assert [turn.agent for turn in found.turns[-2:]] == ["Dr. Flynn", "chair"]


def test_a_router_makes_it_one_call_deeper(tmp_path: Path, case: Case) -> None:
    def chair(ask: str, _: object) -> str:
        return "Advanced" if "How hard" in ask else "B. Decided."

    seats = Seats(tmp_path, [leader("B. We."), always("B"), always("B. Too.")], chair=chair)
    sitting = Sitting(case, 2, "rule", seats.team(case))
    assert Catfish()(sitting.view, sitting.team).depth == 18


@pytest.mark.parametrize(
    ("trigger", "tones", "depth"), [(0.5, "mild mild mild strong", 17), (0.6, "strong", 11)]
)
def test_a_team_of_two_opinions_is_challenged_where_half_is_enough(
    tmp_path: Path, case: Case, trigger: float, tones: str, depth: int
) -> None:
    """The last tone is of the moderator's own Catfish, since all teams report B."""
    seats = Seats(tmp_path, [leader("B. We."), always("B. Yes."), always("C. No.")])
    sitting = Sitting(case, 2, "rule", seats.team(case))
    found = Catfish(level="advanced", dissent=Dissent(trigger=trigger))(sitting.view, sitting.team)
    assert (found.notes["tone"], found.depth) == (tones, depth)


def test_the_moderator_adds_a_catfish_only_where_the_teams_agree(tmp_path: Path, case: Case) -> None:
    reports = iter(["B. First.", "C. Second.", "B. Third."])

    def differs(ask: str, _: object) -> str:
        return "The gums\nThe diet" if "Name two points" in ask else next(reports)

    found, seats = held(
        tmp_path, case, [differs, always("B. Yes."), always("B. Too.")], chair=always("C. So.")
    )
    assert [turn.stage for turn in found.turns][-2:] == ["report", "decide"]
    assert (found.depth, found.option) == (16, 2)
    assert seats.heard("chair") == [
        "The committee said:\n"
        "The assessment team: B. First.\nThe diagnosis team: C. Second.\nThe review team: B. Third.\n\n"
        "You chair the committee. Weigh what was said and give its decision: the letter, then one short "
        "sentence that says why."
    ]


def test_each_team_is_handed_the_reports_of_those_before_and_its_members_their_own_task(
    tmp_path: Path, case: Case
) -> None:
    _, seats = held(tmp_path, case, [leader("B. We."), always("B. Yes."), always("B. Too.")])
    before = "The teams before you said:\nThe assessment team: B. We.\nThe diagnosis team: B. We.\n\n"
    assigns = [ask for ask in seats.heard("expert 1") if "Name two points" in ask]
    assert assigns[0] == (
        "You lead the assessment team. Name two points of this case that your members should examine, one a "
        "line, in a few words each."
    )
    assert assigns[2].startswith(f"{before}You lead the review team.")
    tasks = [
        ask for name in ("expert 2", "expert 3") for ask in seats.heard(name) if "asks you to examine" in ask
    ]
    assert tasks[0] == (
        "You are Dr. Baker of the assessment team. Your leader asks you to examine: The gums\n\n"
        f"Give your answer: {REASONED}"
    )
    assert tasks[5].startswith(
        f"{before}You are Dr. Clark of the review team. Your leader asks you to examine: The diet"
    )
    reports = [ask for ask in seats.heard("expert 1") if "Give the team's answer" in ask]
    assert reports[0] == (
        "The members of the assessment team said:\nDr. Baker: B. Yes.\nDr. Clark: B. Too.\n\n"
        f"You lead the assessment team. Give the team's answer: {REASONED}"
    )


def test_members_answer_without_reading_each_other(tmp_path: Path, case: Case) -> None:
    _, seats = held(tmp_path, case, [leader("B. We."), always("B. Yes."), always("C. Mine.")])
    own = [ask for ask in seats.heard("expert 2") if "asks you to examine" in ask]
    assert own and not any("Mine" in ask for ask in own)


def test_peers_sit_in_every_team(tmp_path: Path, case: Case) -> None:
    found, seats = held(tmp_path, case, [leader("B. We."), always("B. Yes."), always("B. Too.")], board=1)
    assert len([turn for turn in found.turns if turn.role == PEER]) == 2 * len(TEAMS)
    reports = [ask for ask in seats.heard("expert 1") if "Give the team's answer" in ask]
    assert all("Dr. Lewis: C. The findings of this case point to it." in ask for ask in reports)


# Experts, and the two who sit in each team (the first leads them all).
MEMBERS = [
    (2, [[2], [2], [2]]),
    (3, [[2, 3]] * 3),
    (4, [[2, 3], [4, 2], [3, 4]]),
    (5, [[2, 3], [4, 5], [2, 3]]),
    (7, [[2, 3], [4, 5], [6, 7]]),
]


@pytest.mark.parametrize(("size", "want"), MEMBERS)
def test_all_but_the_leader_take_turns(tmp_path: Path, case: Case, size: int, want: list[list[int]]) -> None:
    experts = Seats(tmp_path, [always("B")] * size).team(case).experts
    found = [members_of(experts, number) for number in range(3)]
    assert [[experts.index(member) + 1 for member in team] for team in found] == want


@pytest.mark.parametrize("size", [1, 2, 5])
def test_any_number_of_experts_makes_three_teams(tmp_path: Path, case: Case, size: int) -> None:
    found, _ = held(tmp_path, case, [leader("B. We."), *[always("B. Yes.")] * (size - 1)])
    assert [turn.stage for turn in found.turns].count("report") == 3 and found.depth <= 17


@pytest.mark.parametrize(
    ("reply", "want"),
    [
        ("The gums\nThe diet", ("The gums", "The diet")),
        ("1. The gums\n2. The diet", ("The gums", "The diet")),
        ("1) The gums 2) The diet", ("The gums", "The diet")),
        ("- The gums\n\n- The diet\n- The skin", ("The gums", "The diet")),
        ("**The gums**; the diet.", ("The gums", "the diet")),
        ("Ferritin below 2.5 mg\nThe diet", ("Ferritin below 2.5 mg", "The diet")),
        ("The gums", ("The gums", UNASSIGNED[1])),
        ("The\u2028gums\r\nThe  diet", ("The gums", "The diet")),
        ("", UNASSIGNED),
        ("...\n--", UNASSIGNED),
    ],
)
def test_two_tasks_are_read_out_of_what_a_leader_says(reply: str, want: tuple[str, str]) -> None:
    assert subtasks(reply) == want
