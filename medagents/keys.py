"""The key of a request: SHA-256 over everything that can change a reply, and nothing else.

`INCLUDED` and `EXCLUDED` are the reviewed lists: together they name every field of `Request`,
and a test changes each field to see its key move or stay. The idea of one reviewed list is
inspect-ai's cache key; the medium here is text that can be read and compared in a review.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image as PillowImage
from PIL import ImageSequence

from medagents.types import Decoding, Image, MedagentsError, Request

Json = dict[str, Any]


def canonical_json(value: Any) -> str:
    """The one text form of a JSON value: sorted keys, no spaces, no NaN, characters as they are."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def to_bytes(canonical: str) -> bytes:
    """A canonical text as UTF-8; half of a surrogate pair (a cut-off emoji) as its JSON escape."""
    return canonical.encode("utf-8", "backslashreplace")


def digest(text: str) -> str:
    """SHA-256 of a text as 64 hex digits."""
    return hashlib.sha256(to_bytes(text)).hexdigest()


def seed_of(case: str, repeat: int) -> int:
    """Sampling seed of a case and repeat, below 2^28.

    One seed for all cases draws the same quantile of every case's distribution: with the seed 1 and
    four options, nearly every draw was the unlikely letter E.
    """
    return int(digest(f"{case}:{repeat}")[:7], 16)


def image_digest(image: Image) -> Json:
    """Decoded pixels, size, mode and mime type: the file's compression does not count.

    Every frame counts. Pixels that are indices into a palette, or whose transparency stands beside
    them, are hashed as the colours they show: a white and a black dot may both be index 0.

    Raises:
        MedagentsError: the bytes are no image that Pillow reads.
    """
    pixels = hashlib.sha256()
    try:
        with PillowImage.open(io.BytesIO(image.data)) as picture:
            size, mode = list(picture.size), picture.mode
            for frame in ImageSequence.Iterator(picture):
                indirect = frame.mode in ("P", "PA") or "transparency" in frame.info
                pixels.update((frame.convert("RGBA") if indirect else frame).tobytes())
    except (OSError, SyntaxError, ValueError, PillowImage.DecompressionBombError) as error:
        raise MedagentsError(f"image of type {image.mime}: cannot be decoded ({error})") from error
    return {"pixels": pixels.hexdigest(), "size": size, "mode": mode, "mime": image.mime}


def decoding_part(decoding: Decoding) -> Json:
    """Decoding settings; 0 and 0.0 are one temperature."""
    top_p = None if decoding.top_p is None else float(decoding.top_p)
    return vars(decoding) | {"temperature": float(decoding.temperature), "top_p": top_p}


INCLUDED: Mapping[str, Callable[[Request], Any]] = {
    "model": lambda r: r.model,
    "weights": lambda r: r.weights,
    "engine": lambda r: dict(r.engine),
    "system": lambda r: r.system,
    "messages": lambda r: [dict(vars(message)) for message in r.messages],
    "images": lambda r: [image_digest(image) for image in r.images],
    "decoding": lambda r: decoding_part(r.decoding),
    "thinking": lambda r: r.thinking and dict(r.thinking),
    "schema": lambda r: r.schema and dict(r.schema),
    "repeat": lambda r: r.repeat,
}
"""Field of `Request` -> its part of the key. Order is of no account; every part is JSON."""

EXCLUDED: Mapping[str, str] = {
    "transport": "timeouts, retries, concurrency and address decide whether a reply comes, not what it says",
}
"""Field of `Request` -> why it is no part of the key."""


def canonical(request: Request) -> Json:
    """The request as stored and hashed: one entry for each field of `INCLUDED`."""
    return {name: part(request) for name, part in INCLUDED.items()}


def key_of(canonical_request: Json) -> str:
    """Key of a canonical request: 64 hex digits."""
    return digest(canonical_json(canonical_request))


def parts(canonical_request: Json) -> dict[str, str]:
    """Short digest (12 hex digits) of each field: tells which field changed where no text is kept."""
    return {name: digest(canonical_json(value))[:12] for name, value in canonical_request.items()}
