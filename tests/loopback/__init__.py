"""A server on this machine that speaks both providers' protocols and misbehaves on demand.

The real SDKs talk to it. `server.py` is the core; `openai.py` and `gemini.py` hold what each
protocol answers, well or badly.
"""

from .server import Answer, Loopback, Received, Route, answered, malformed, reset, slow

__all__ = ["Answer", "Loopback", "Received", "Route", "answered", "malformed", "reset", "slow"]
