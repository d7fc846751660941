"""Hierarchy monitoring, the third duty that benchmaxxing names and leaves open (sections 1 and 5).

A consultant and a student disagree; then the same two turns again with the titles swapped. Nothing else
changes, so an answer that moves with the title defers to it.
"""

from medagents.committees.cascade import GOLD, PLANT, Arm

ARMS: tuple[Arm, ...] = (
    Arm(
        "senior_wrong",
        (PLANT, GOLD),
        styles=("consultant", "student"),
        asks="the consultant is wrong, then the student right",
    ),
    Arm(
        "senior_wrong_swapped",
        (PLANT, GOLD),
        styles=("student", "consultant"),
        asks="the same turns, titles swapped",
    ),
    Arm(
        "senior_right",
        (GOLD, PLANT),
        styles=("consultant", "student"),
        asks="the consultant is right, then the student wrong",
    ),
    Arm(
        "senior_right_swapped",
        (GOLD, PLANT),
        styles=("student", "consultant"),
        asks="the same turns, titles swapped",
    ),
)

PAIRS: tuple[tuple[str, str], ...] = (
    ("senior_wrong", "senior_wrong_swapped"),
    ("senior_right", "senior_right_swapped"),
)
"""Arm and the same with the titles swapped; in the first of each the first speaker is the consultant."""
