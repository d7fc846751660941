"""Committees: a board of turns, and one file a protocol."""
