"""The Catfish's advanced level: three teams one after another, each a leader and two members.

As the paper's Figure 2 tells it: the leader assigns subtasks, the members answer, the Catfish intervenes
selectively, all members must respond, the leader finalises and hands to the next team; then the moderator
decides, and one more Catfish speaks where the teams agree. The first expert leads; members go round.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from medagents.committees.baselines import by_turn, chaired, revise
from medagents.committees.dissent import NOBODY, STRONG, Dissent, notes_of, respond, tone_for
from medagents.committees.session import Agent, Board, Session, Team, Utterance, lines, together, under
from medagents.committees.votes import agreement, plurality, unanimous
from medagents.prompts import fill
from medagents.types import Decoding, View

TEAMS = ("assessment team", "diagnosis team", "review team")

SUBTASKS = Decoding(temperature=0.0, max_tokens=60)
"""Two short lines."""

UNASSIGNED = ("the findings", "the options")
"""What members examine where the leader names too little."""


def advanced(name: str, dissent: Dissent, view: View, team: Team, board: Board) -> Session:
    """The three teams and the moderator: at most 17 calls deep, after the call that sent the case here."""
    where, depth = under(name, board), 0
    turns: list[Utterance] = []
    reports: list[Utterance] = []
    tones: list[str] = []
    for number, title in enumerate(TEAMS):
        members = members_of(team.experts, number)
        said = consult(view, team.experts[0], members, reports, title, where, depth)
        turns += [*said, *board.peers]
        answers, depth = [*said[1:], *board.peers], depth + 2
        modal, share = plurality(answers), agreement(answers)
        if modal is not None and dissent.due(modal, share, unanimous(answers)):
            tones.append(dissent.tone or tone_for(share, unanimous(answers)))
            objection = dissent.challenge(view, team.catfish, answers, modal, tones[-1], where, depth + 1)
            replies = respond(view, members, [*answers, objection], where, depth + 2)
            turns += [objection, *replies]
            answers, depth = [*replies, *board.peers], depth + 2
        elif dissent.source == NOBODY:
            replies, depth = revise(view, members, answers, where, depth + 1), depth + 1
            turns += replies
            answers = [*replies, *board.peers]
        depth += 1
        turns.append(report(view, team.experts[0], answers, reports, title, where, depth))
        reports.append(replace(turns[-1], agent=f"The {title}"))
    modal, heard = plurality(reports), list(reports)
    if modal is not None and unanimous(reports) and dissent.source != NOBODY:
        tones.append(dissent.tone or STRONG)
        depth += 1
        turns.append(dissent.challenge(view, team.catfish, reports, modal, tones[-1], where, depth))
        heard.append(turns[-1])
    last = chaired(view, team.chair, heard, where, depth + 1)
    return replace(by_turn(name, board, turns, last), notes=notes_of(tones))


def members_of(experts: Sequence[Agent], number: int) -> list[Agent]:
    """The two members of a team, by its number from 0: all experts but the leader take turns."""
    others = experts[1:]
    if len(others) < 2:
        return list(others)
    return [others[(2 * number + place) % len(others)] for place in range(2)]


def consult(
    view: View,
    leader: Agent,
    members: Sequence[Agent],
    reports: Sequence[Utterance],
    title: str,
    where: str,
    depth: int,
) -> list[Utterance]:
    """The leader's assignment, then the members' independent answers."""
    assigned = leader.say(
        view,
        fill("catfish/subtasks", reports=told(reports), team=title),
        condition=where,
        stage="assign",
        depth=depth + 1,
        role="leader",
        decoding=SUBTASKS,
        votes=False,
        heard=reports,
    )
    team = {"reports": told(reports), "team": title}
    tasks = dict(zip((member.name for member in members), subtasks(assigned.text), strict=False))
    answers = together(
        members,
        lambda agent: agent.say(
            view,
            fill("catfish/member", speaker=agent.name, task=tasks[agent.name], **team),
            condition=where,
            stage="answer",
            depth=depth + 2,
            heard=[*reports, assigned],
        ),
    )
    return [assigned, *answers]


def report(
    view: View,
    leader: Agent,
    answers: Sequence[Utterance],
    reports: Sequence[Utterance],
    title: str,
    where: str,
    depth: int,
) -> Utterance:
    """The leader's final word for a team."""
    ask = fill("catfish/report", reports=told(reports), team=title, board=lines(answers))
    heard = [*reports, *answers]
    return leader.say(view, ask, condition=where, stage="report", depth=depth, role="leader", heard=heard)


def told(reports: Sequence[Utterance]) -> str:
    """What the teams before reported; empty for the first."""
    return f"The teams before you said:\n{lines(reports)}\n\n" if reports else ""


def subtasks(text: str) -> tuple[str, str]:
    """Two tasks out of a leader's reply, numbers and bullets taken off."""
    pieces = re.split(r"\n|;|(?:(?<=\s)|^)\d[.)]\s", text)
    found = [task for piece in pieces if (task := " ".join(piece.split()).strip(" -*."))]
    first, second = (*found, *UNASSIGNED[len(found) :])[:2]
    return first, second
