"""What the Gemini protocol answers."""

from .server import Route

ROUTES: list[Route] = []
