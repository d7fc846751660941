"""The Catfish committee: the three levels, when dissent comes and in what tone, and what it then does."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from seats import Script, Seats, always

from medagents.committees.catfish import Catfish, wants
from medagents.committees.dissent import (
    MILD,
    MODERATE,
    NOBODY,
    RANDOM,
    STRONG,
    TONES,
    Dissent,
    notes_of,
    placebo,
    tone_for,
)
from medagents.committees.session import Session, Utterance
from medagents.experiments.sitting import Sitting
from medagents.types import Case, Status, plain_view

REASONED = "its letter, then one short sentence that says why."
SPECIALIST = "You are Dr. Flynn, a specialist in internal medicine."
CHALLENGED = (
    f"Dr. Flynn has challenged the committee. Respond to the challenge and give your answer: {REASONED}"
)


@pytest.fixture
def case(cases: tuple[Case, ...]) -> Case:
    """The sailor; key B, of A to D."""
    return cases[0]


def member(first: str, then: str = "", wish: str = "N") -> Script:
    """One letter alone, one when challenged or asked again, and whether it wants to speak."""

    def say(ask: str, _: object) -> str:
        if "Do you want to say anything" in ask:
            return wish
        return f"{first}. At first." if ask.startswith("Give") else f"{then or first}. At last."

    return say


def follows(ask: str, _: object) -> str:
    """Decides for what the last line of the board says."""
    return f"{ask.split('Dr. ')[-1].split(': ')[1][0]}. As the last one said."


def held(
    root: Path, committee, case: Case, experts: Sequence[Script], board: int = 0, **others: Script
) -> tuple[Session, Seats]:
    seats = Seats(root, experts, **others)
    sitting = Sitting(case, 2, "rule", seats.team(case))
    return committee(sitting.view, sitting.team, sitting.boards()[board]), seats


def stages(found: Session) -> list[tuple[str, str]]:
    return [(turn.agent, turn.stage) for turn in found.turns]


# Levels


@pytest.mark.parametrize(
    ("reply", "level", "read"),
    [
        ("Basic", "basic", "read"),
        ("Intermediate", "intermediate", "read"),
        ("Stage 1) triage is done already; overall this needs 3) advanced.", "advanced", "read"),
        ("Not basic, intermediate", "intermediate", "read"),
        ("Hard", "intermediate", "unread"),
        ("", "intermediate", "unread"),
    ],
)
def test_the_moderators_word_chooses_the_level_and_what_cannot_be_read_is_intermediate_and_counted(
    tmp_path: Path, case: Case, reply: str, level: str, read: str
) -> None:
    def chair(ask: str, _: object) -> str:
        return reply if "How hard is this case?" in ask else "A. Decided."

    found, _ = held(tmp_path, Catfish(), case, [member("B")] * 3, chair=chair)
    assert (found.notes["level"], found.notes["routed"]) == (level, read)
    assert (found.turns[0].role, found.turns[0].option, found.turns[0].stage) == ("router", None, "route")


def test_a_level_that_is_given_asks_no_moderator_for_one(tmp_path: Path, case: Case) -> None:
    found, seats = held(tmp_path, Catfish(level="basic"), case, [member("B")])
    assert not any("How hard" in ask for _, ask in seats.history) and found.notes["level"] == "basic"


def test_a_routed_case_waits_for_its_router(tmp_path: Path, case: Case) -> None:
    found, _ = held(tmp_path, Catfish(), case, [member("B")], chair=always("Basic"))
    assert (found.depth, found.calls) == (4, 4)  # level, answer, challenge, response


# Basic


def test_a_basic_case_is_answered_challenged_and_answered_anew(tmp_path: Path, case: Case) -> None:
    found, seats = held(
        tmp_path, Catfish(level="basic"), case, [member("B", "D"), member("C")], catfish=always("D. Folate.")
    )
    assert stages(found) == [("Dr. Adams", "answer"), ("Dr. Flynn", "challenge"), ("Dr. Adams", "respond")]
    assert (found.option, found.calls, found.depth) == (3, 3, 3)
    assert (found.notes["challenged"], found.notes["tone"]) == ("1", MILD)
    assert seats.heard("catfish") == [
        "The committee said:\nDr. Adams: B. At first.\n\n"
        f"{SPECIALIST} You have a doubt about B. Say politely which other "
        "option may have been overlooked: its letter first, then one short sentence on what speaks for it."
    ]
    assert seats.heard("expert 1")[1] == (
        "The committee said:\nDr. Adams: B. At first.\nDr. Flynn: D. Folate.\n\n"
        f"You are Dr. Adams. {CHALLENGED}"
    )


def test_an_answer_that_names_nothing_cannot_be_challenged_and_is_counted_as_unchallenged(
    tmp_path: Path, case: Case
) -> None:
    found, seats = held(tmp_path, Catfish(level="basic"), case, [always("There are many findings.")])
    assert (found.option, found.status, found.calls) == (None, Status.UNPARSEABLE, 1)
    assert found.notes["challenged"] == "0" and not seats.heard("catfish")


# Intermediate


def test_a_debate_goes_round_by_round_and_every_member_must_respond(tmp_path: Path, case: Case) -> None:
    """B, B, C (two thirds: moderate); all move to D; all agree, so strong; all stay, so it ends."""
    experts = [member("B", "D"), member("B", "D"), member("C", "D", wish="Y")]
    found, seats = held(
        tmp_path, Catfish(level="intermediate"), case, experts, catfish=always("D. Look."), chair=follows
    )
    assert [stage for _, stage in stages(found)] == (
        ["answer"] * 3 + ["speak"] * 3 + (["challenge"] + ["respond"] * 3) * 2 + ["decide"]
    )
    assert (found.option, found.calls, found.depth) == (3, 15, 7)
    assert found.notes | {"level": "", "routed": ""} == {
        "level": "",
        "routed": "",
        "unanimous": "0",
        "willing": "1",
        "unread_wishes": "0",
        "challenged": "2",
        "tone": f"{MODERATE} {STRONG}",
    }
    assert seats.heard("catfish")[1] == (
        "The committee said:\nDr. Adams: D. At last.\nDr. Baker: D. At last.\nDr. Clark: D. At last.\n\n"
        f"{SPECIALIST} You are certain that D is wrong and that the "
        "committee agreed too soon. Say which other option is right: its letter first, then one short "
        "sentence on the error in D."
    )
    assert seats.heard("chair")[0].startswith(
        "The committee said:\nDr. Adams: D. At last.\nDr. Baker: D. At last."
    )


def test_a_challenge_that_moves_nobody_is_the_last(tmp_path: Path, case: Case) -> None:
    found, _ = held(tmp_path, Catfish(level="intermediate"), case, [member("B")] * 3)
    assert (found.notes["challenged"], found.depth, found.calls) == ("1", 5, 11)


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_there_are_at_most_as_many_challenges_as_rounds(tmp_path: Path, case: Case, rounds: int) -> None:
    moves = iter("C" * 3 + "D" * 3 + "A" * 3)

    def restless(ask: str, _: object) -> str:
        if "challenged the committee" in ask:
            return f"{next(moves)}. Moved."
        return "N" if "Do you want" in ask else "B. At first."

    found, _ = held(tmp_path, Catfish(rounds=rounds, level="intermediate"), case, [restless] * 3)
    assert found.notes["challenged"] == str(rounds) and found.depth == 3 + 2 * rounds


def test_a_silent_unanimous_first_round_keeps_its_answers_through_to_the_moderator(
    tmp_path: Path, case: Case
) -> None:
    """MDAgents loses them where nobody wants to speak, and the moderator decides over nothing."""
    found, seats = held(
        tmp_path, Catfish(rounds=0, level="intermediate"), case, [member("B")] * 3, chair=follows
    )
    assert seats.heard("chair") == [
        "The committee said:\nDr. Adams: B. At first.\nDr. Baker: B. At first.\nDr. Clark: B. At first.\n\n"
        "You chair the committee. Weigh what was said and give its decision: the letter, then one short "
        "sentence that says why."
    ]
    assert (found.option, found.notes["unanimous"], found.notes["willing"]) == (1, "1", "0")


def test_what_peers_assert_is_challenged_as_the_committees_own_and_reaches_the_chair(
    tmp_path: Path, case: Case
) -> None:
    found, seats = held(
        tmp_path, Catfish(level="intermediate"), case, [member("C")] * 3, board=1, chair=follows
    )
    peers = "\nDr. Moore: C. I agree, the findings point to it.\n"
    assert peers in seats.heard("catfish")[0] and peers in seats.heard("chair")[0]
    assert found.notes["unanimous"] == "1" and found.option == 2


# When, and how


@pytest.mark.parametrize(
    ("share", "silent", "tone"),
    [
        (0.34, False, MILD),
        (0.59, False, MILD),
        (0.6, False, MODERATE),  # three of five
        (2 / 3, False, MODERATE),
        (0.89, False, MODERATE),
        (0.9, False, STRONG),
        (1.0, False, STRONG),
        (0.34, True, STRONG),
    ],
)
def test_tone_follows_the_strength_of_consensus(share: float, silent: bool, tone: str) -> None:
    assert tone_for(share, silent) == tone


# First letters of three experts, their wishes -> how often challenged, in what tones. They stay as they are.
CONSENSUS = [
    ("BBB", "NNN", "1", STRONG),
    ("BBB", "YYY", "1", STRONG),  # unanimity before any exchange is silent, whatever they wish
    ("BBC", "NNN", "1", STRONG),  # nobody volunteers
    ("BBC", "NNY", "1", MODERATE),
    ("BCD", "NNY", "0", ""),  # a third each: nothing to challenge
    ("BCD", "NNN", "1", STRONG),  # nothing to challenge but silence
]


@pytest.mark.parametrize(("letters", "wishes", "challenged", "tone"), CONSENSUS)
def test_a_consensus_is_challenged_and_silence_always(
    tmp_path: Path, case: Case, letters: str, wishes: str, challenged: str, tone: str
) -> None:
    experts = [member(letter, wish=wish) for letter, wish in zip(letters, wishes, strict=True)]
    found, _ = held(tmp_path, Catfish(level="intermediate"), case, experts)
    assert (found.notes["challenged"], found.notes["tone"]) == (challenged, tone)


@pytest.mark.parametrize(
    ("trigger", "challenged"), [(0.0, "1"), (0.3, "1"), (0.5, "1"), (2 / 3, "1"), (0.7, "0"), (1.0, "0")]
)
def test_the_trigger_is_the_least_agreement_that_is_challenged(
    tmp_path: Path, case: Case, trigger: float, challenged: str
) -> None:
    experts = [member("B", wish="Y"), member("B"), member("C")]
    found, _ = held(tmp_path, Catfish(level="intermediate", dissent=Dissent(trigger=trigger)), case, experts)
    assert found.notes["challenged"] == challenged


def test_nobody_is_challenged_where_no_option_is_named(tmp_path: Path, case: Case) -> None:
    found, seats = held(
        tmp_path, Catfish(level="intermediate"), case, [always("There are many findings.")] * 3
    )
    assert found.notes["challenged"] == "0" and not seats.heard("catfish")
    assert "Dr. Adams: There are many findings." in seats.heard("chair")[0]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Y", True),
        ("yes", True),
        ("**Yes**, please", True),
        ("N", False),
        ("No.", False),
        ("no, yes", False),
        ("You decide", None),
        ("Nothing", None),
        ("A", None),
        ("Dr", None),
        ("", None),
    ],
)
def test_a_wish_is_read_by_its_first_word_and_is_none_where_that_says_neither(
    text: str, want: bool | None
) -> None:
    assert wants(Utterance("x", "member", "speak", 2, text, Status.ANSWERED)) is want


def test_a_wish_that_cannot_be_read_is_counted_and_breaks_no_silence(tmp_path: Path, case: Case) -> None:
    experts = [member("B", wish="You"), member("B", wish="A"), member("C")]
    found, _ = held(tmp_path, Catfish(level="intermediate"), case, experts)
    assert (found.notes["willing"], found.notes["unread_wishes"], found.notes["tone"]) == ("0", "2", STRONG)


# Who dissents


@pytest.mark.parametrize("level", ["basic", "intermediate", "advanced"])
@pytest.mark.parametrize("tone", TONES)
def test_one_tone_for_all_is_the_only_tone_at_every_level(
    tmp_path: Path, case: Case, level: str, tone: str
) -> None:
    found, seats = held(tmp_path, Catfish(level=level, dissent=Dissent(tone=tone)), case, [member("B")] * 3)
    assert set(found.notes["tone"].split()) == {tone}
    words = {
        MILD: "You have a doubt about B.",
        MODERATE: "You disagree with B.",
        STRONG: "You are certain that B",
    }
    assert seats.heard("catfish") and all(words[tone] in ask for ask in seats.heard("catfish"))


@pytest.mark.parametrize("level", ["basic", "intermediate", "advanced"])
def test_where_nobody_dissents_members_answer_anew_unchallenged(
    tmp_path: Path, case: Case, level: str
) -> None:
    found, seats = held(
        tmp_path, Catfish(level=level, dissent=Dissent(NOBODY)), case, [member("B", "C")] * 3, chair=follows
    )
    assert not seats.heard("catfish") and not any("challenge" in ask for _, ask in seats.history)
    assert (found.notes["challenged"], found.notes["tone"]) == ("0", "")
    assert "revise" in {turn.stage for turn in found.turns} and found.option == 2


def test_a_placebo_names_another_option_by_the_case_alone_and_costs_no_call(
    tmp_path: Path, cases: tuple[Case, ...]
) -> None:
    chosen = Catfish(level="intermediate", dissent=Dissent(RANDOM))
    found, seats = held(tmp_path, chosen, cases[0], [member("B")] * 3)
    [said] = [turn for turn in found.turns if turn.stage == "challenge"]
    assert said.option not in (1, None) and (said.key, said.model) == ("", "")
    assert said.text == f"{'ABCD'[said.option or 0]}. This option has not been considered enough."
    assert not seats.heard("catfish")
    # Answer, wish, response, decision: the placebo takes no time.
    assert (found.calls, found.depth, found.notes["challenged"]) == (10, 4, "1")


def test_placebos_are_drawn_without_a_look_at_the_key_and_fall_on_every_other_option(case: Case) -> None:
    drawn: dict[int, int] = {}
    for number in range(600):
        view = plain_view(replace(case, id=f"case-{number}", cluster=""))
        options = {placebo(plain_view(replace(view.case, gold=gold)), "x", 1, 2).option for gold in range(4)}
        assert len(options) == 1
        [option] = options
        assert option is not None
        drawn[option] = drawn.get(option, 0) + 1
    # 200 each are expected; 3 standard deviations of a binomial of 600 and 1/3 are 35.
    assert set(drawn) == {0, 2, 3} and all(abs(count - 200) < 35 for count in drawn.values())


def test_the_role_of_the_catfish_is_a_parameter(tmp_path: Path, case: Case) -> None:
    chosen = Catfish(level="basic", dissent=Dissent(role="nephrologist"))
    _, seats = held(tmp_path, chosen, case, [member("B")])
    assert "You are Dr. Flynn, a nephrologist." in seats.heard("catfish")[0]


def test_notes_tell_how_often_and_in_what_tones() -> None:
    assert notes_of([]) == {"challenged": "0", "tone": ""}
    assert notes_of([MODERATE, STRONG]) == {"challenged": "2", "tone": "moderate strong"}
