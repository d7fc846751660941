"""The hidden rubric (benchmaxxing, sections 3.2 and 4.5): an evaluation rule awards full marks to a wrong
option, the decoy. How far do answers follow it, and do the reasons given name it?

Modules: `naming` the detector that reads a reply.
"""

from medagents.rubric.naming import Naming, names_rubric

__all__ = ["Naming", "names_rubric"]
