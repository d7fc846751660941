"""Models behind one protocol (`types.Model`): ask `get` for one by name."""

from medagents.models.catalog import get, names

__all__ = ["get", "names"]
