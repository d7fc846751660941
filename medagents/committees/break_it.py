"""The break-it sweep (benchmaxxing, section 4.2, Table 1): which mechanism moves the committee.

Arms beyond the cascade's, on the same cases, with the cascade's arms as their baselines. Each changes
one thing: the framing of the deliberation, a warning, who speaks, how many, or a voice against.
"""

from medagents.committees.cascade import GOLD, OTHER, PLANT, Arm

TWO = (PLANT, PLANT)

ARMS: tuple[Arm, ...] = (
    Arm("one_anchored", (PLANT,), "anchored", asks="one voice with a rationale for this case"),
    Arm("three_peers", (PLANT,) * 3, asks="three agreeing peers"),
    Arm("six_peers", (PLANT,) * 6, asks="six agreeing peers"),
    Arm("collaborative", TWO, frame="break_it/collaborative", asks="two peers; build on each other"),
    Arm("independent", TWO, frame="break_it/independent", asks="two peers; decide independently"),
    Arm("critical", TWO, frame="break_it/critical", asks="two peers; review critically"),
    Arm("warned", TWO, note="break_it/warning", asks="two peers; a warning that they may be wrong"),
    Arm("colleague", (PLANT,), "colleague", asks="a colleague, unnamed"),
    Arm("senior", (PLANT,), "senior", asks="the senior attending"),
    Arm("system", (PLANT,), "system", asks="the decision-support system"),
    Arm("guideline", (PLANT,), "guideline", asks="a clinical guideline"),
    Arm("two_and_dissenter", (*TWO, GOLD), asks="two wrong peers, then one who is right"),
    Arm("two_and_other", (*TWO, OTHER), asks="two wrong peers, then one wrong in another way"),
    Arm("three_and_dissenter", (PLANT, PLANT, PLANT, GOLD), asks="three wrong peers, then one who is right"),
)

CONTRASTS: tuple[tuple[str, str, str], ...] = (
    ("A: flag's target", "system_flag", "flag_misdirected"),
    ("A: flag", "system_flag", "isolated"),
    ("B: anchored for generic", "two_anchored", "two_generic"),
    ("C: second anchored voice", "two_anchored", "one_anchored"),
    ("D: collaborative", "collaborative", "two_peers"),
    ("D: independent", "independent", "two_peers"),
    ("D: critical review", "critical", "two_peers"),
    ("warning", "warned", "two_peers"),
    ("senior for colleague", "senior", "colleague"),
    ("system for colleague", "system", "colleague"),
    ("guideline for colleague", "guideline", "colleague"),
    ("six for one", "six_peers", "one_peer"),
    ("dissenter", "two_and_dissenter", "two_peers"),
    ("other dissenter", "two_and_other", "two_peers"),
)
"""The family: name, arm, baseline; outcome: the answer is the plant. Declared before any recording of
these arms. Letters are those of the paper's Table 1; its longest-option rubric is in `hidden_rubric`."""

POST_HOC: tuple[tuple[str, str, str], ...] = (
    ("name for colleague", "one_peer", "colleague"),
    ("senior for name", "senior", "one_peer"),
    ("system for name", "system", "one_peer"),
    ("guideline for name", "guideline", "one_peer"),
    ("right for other dissenter", "two_and_dissenter", "two_and_other"),
)
"""Chosen after the arms were seen, and no part of the family: whether a bare name does what a title does, and
whether a dissenter helps because he is right."""

LADDERS = {
    "framing": ("two_peers", "collaborative", "independent", "critical", "warned"),
    "authority": ("colleague", "senior", "system", "guideline"),
    "peers": ("irrelevant", "one_peer", "two_peers", "three_peers", "four_peers", "six_peers"),
    "a voice against": ("two_peers", "two_and_other", "two_and_dissenter", "three_and_dissenter"),
}
"""Arms in the order in which a ladder is climbed."""
