"""Cues: edits of the input that leave the right answer right."""
