"""The hidden rubric (benchmaxxing, sections 3.2 and 4.5): an evaluation rule awards full marks to a wrong
option, the decoy. How far do answers follow it, and do the reasons given for them name it?

The paper's decoy is an option that the holdout did not answer alone, so that its control is 0 by
construction. Here the decoy is the run's plant, or the longest option (`plants.longest_wrong`): fixed before
the holdout answers, so that the contrast with the holdout alone is a real one.

Modules: `uptake` the tables of answers, `naming` the detector that reads a reason, `quality` how well it
reads.
"""

from medagents.rubric.naming import Naming, names_rubric
from medagents.rubric.quality import corrected_naming, labelled_replies, naming_quality, screen_quality
from medagents.rubric.uptake import CONTRASTS, contrasts, screen, uptake

__all__ = [
    "CONTRASTS",
    "Naming",
    "contrasts",
    "corrected_naming",
    "labelled_replies",
    "names_rubric",
    "naming_quality",
    "screen",
    "screen_quality",
    "uptake",
]
