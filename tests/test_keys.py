"""The key of a request: what moves it, what does not, and one key worked out by hand."""

import hashlib
import io
from dataclasses import fields, replace
from typing import Any

import pytest
from PIL import Image as PillowImage

from medagents.keys import EXCLUDED, INCLUDED, canonical, key_of, parts
from medagents.types import Decoding, Image, MedagentsError, Message, Request, Transport


def key(request: Request) -> str:
    return key_of(canonical(request))


def encoded(picture: PillowImage.Image, mime: str = "image/png", **how: Any) -> Image:
    out = io.BytesIO()
    picture.save(out, mime.removeprefix("image/"), **how)
    return Image(out.getvalue(), mime)


def grey(*pixels: int) -> PillowImage.Image:
    picture = PillowImage.new("L", (len(pixels), 1))
    picture.putdata(pixels)
    return picture


DECODING = Decoding(0.7, 64, 11, 0.9, ("\n",), 5)
REQUEST = Request(
    model="gemini-2.5-flash",
    messages=(Message("user", "Is there an effusion?"), Message("assistant", "A")),
    system="Reply with the letter only.",
    images=(encoded(grey(0, 255)),),
    weights="ab" * 32,
    engine={"context": 4096},
    decoding=DECODING,
    thinking={"budget": 0},
    schema={"type": "string"},
    repeat=1,
)
OTHER: dict[str, Any] = {
    "model": "gemini-2.5-pro",
    "messages": (Message("user", "Is there an effusion?"),),
    "system": "Reply with the letter only. ",
    "images": (),
    "weights": None,
    "engine": {"context": 8192},
    "decoding": Decoding(),
    "thinking": None,
    "schema": {"type": "integer"},
    "repeat": 2,
}
OTHER_DECODING: dict[str, Any] = {
    "temperature": 0.0,
    "max_tokens": 65,
    "seed": None,
    "top_p": None,
    "stop": (),
    "top_logprobs": 0,
}
OTHER_MESSAGE = {"role": "assistant", "text": "Is there an effusion"}
OTHER_TRANSPORT: dict[str, Any] = {
    "timeout": 1.0,
    "max_attempts": 1,
    "max_seconds": 1.0,
    "concurrency": 8,
    "base_url": "http://localhost:8000",
}


def test_the_two_reviewed_lists_name_every_field_of_a_request_once() -> None:
    assert sorted([*INCLUDED, *EXCLUDED]) == sorted(field.name for field in fields(Request))


@pytest.mark.parametrize("name", [field.name for field in fields(Request) if field.name not in EXCLUDED])
def test_the_key_moves_with_each_included_field_and_only_its_own_part_changes(name: str) -> None:
    changed = replace(REQUEST, **{name: OTHER[name]})
    assert key(changed) != key(REQUEST)
    now, then = parts(canonical(changed)), parts(canonical(REQUEST))
    assert [field for field in now if now[field] != then[field]] == [name]


@pytest.mark.parametrize("name", [field.name for field in fields(Decoding)])
def test_the_key_moves_with_each_decoding_setting(name: str) -> None:
    changed = replace(REQUEST, decoding=replace(DECODING, **{name: OTHER_DECODING[name]}))
    assert key(changed) != key(REQUEST)


@pytest.mark.parametrize("name", [field.name for field in fields(Message)])
def test_the_key_moves_with_each_part_of_a_message(name: str) -> None:
    first, *rest = REQUEST.messages
    assert key(replace(REQUEST, messages=(replace(first, **{name: OTHER_MESSAGE[name]}), *rest))) != key(
        REQUEST
    )


@pytest.mark.parametrize("name", [field.name for field in fields(Transport)])
def test_the_key_stays_with_each_transport_setting(name: str) -> None:
    assert OTHER_TRANSPORT[name] != getattr(Transport(), name)
    changed = replace(REQUEST, transport=replace(Transport(), **{name: OTHER_TRANSPORT[name]}))
    assert key(changed) == key(REQUEST)


def test_the_order_of_messages_and_where_one_ends_count() -> None:
    one, two = Message("user", "Cough."), Message("user", "Fever.")
    keys = {
        key(Request("m", messages))
        for messages in [(one, two), (two, one), (Message("user", "Cough.Fever."),), (one,)]
    }
    assert len(keys) == 4


def test_one_key_worked_out_by_hand() -> None:
    request = Request(
        "m1", (Message("user", "Fièvre à 39 °C?"),), engine={"b": 2, "a": 1}, decoding=Decoding(max_tokens=1)
    )
    written = (
        '{"decoding":{"max_tokens":1,"seed":null,"stop":[],"temperature":0.0,"top_logprobs":0,"top_p":null},'
        '"engine":{"a":1,"b":2},"images":[],"messages":[{"role":"user","text":"Fièvre à 39 °C?"}],'
        '"model":"m1","repeat":0,"schema":null,"system":"","thinking":null,"weights":null}'
    )
    assert key(request) == hashlib.sha256(written.encode("utf-8")).hexdigest()


def test_equal_requests_have_one_key_however_their_numbers_are_written() -> None:
    whole = Request("m", (Message("user", "p"),), decoding=Decoding(temperature=0, top_p=1))
    point = Request("m", (Message("user", "p"),), decoding=Decoding(temperature=0.0, top_p=1.0))
    assert whole == point
    assert key(whole) == key(point)


def test_settings_differing_in_temperature_limit_or_model_have_four_keys_and_a_repeat_none() -> None:
    """FC08."""
    prompt = (Message("user", "p"),)
    calls = [
        Request("m1", prompt, decoding=Decoding(temperature=0.0)),
        Request("m1", prompt, decoding=Decoding(temperature=0.7)),
        Request("m1", prompt, decoding=Decoding(temperature=0.0, max_tokens=64)),
        Request("m2", prompt, decoding=Decoding(temperature=0.0)),
        Request("m1", prompt, decoding=Decoding(temperature=0.0)),
    ]
    keys = [key(call) for call in calls]
    assert len(set(keys)) == 4
    assert keys[4] == keys[0]


def test_a_white_and_a_black_dot_have_two_keys() -> None:
    """FC10."""
    white, black = (replace(REQUEST, images=(encoded(grey(value)),)) for value in (255, 0))
    assert key(white) != key(black)


def test_images_that_differ_in_one_pixel_have_two_keys() -> None:
    one, other = (replace(REQUEST, images=(encoded(grey(0, 9, value)),)) for value in (7, 8))
    assert key(one) != key(other)


def test_the_same_pixels_in_another_file_have_the_same_key() -> None:
    picture = grey(*range(0, 256, 3))
    small, large = encoded(picture, compress_level=9), encoded(picture, compress_level=0)
    assert small.data != large.data
    assert key(replace(REQUEST, images=(small,))) == key(replace(REQUEST, images=(large,)))


def test_size_mode_and_mime_type_count_besides_the_pixels() -> None:
    row = grey(1, 2, 3, 4, 5, 6)
    column = PillowImage.frombytes("L", (1, 6), row.tobytes())
    colour = PillowImage.frombytes("RGB", (2, 1), row.tobytes())
    images = [encoded(row), encoded(column), encoded(colour), encoded(row, "image/bmp")]
    assert len({key(replace(REQUEST, images=(image,))) for image in images}) == 4


def test_a_palette_counts_by_the_colours_it_shows() -> None:
    def dot(colour: tuple[int, int, int]) -> PillowImage.Image:
        picture = PillowImage.new("P", (1, 1), 0)
        picture.putpalette([*colour, 1, 2, 3])
        return picture

    white, black = dot((255, 255, 255)), dot((0, 0, 0))
    assert white.tobytes() == black.tobytes()
    clear = encoded(white, transparency=0)
    images = [encoded(white), encoded(black), clear]
    assert len({key(replace(REQUEST, images=(image,))) for image in images}) == 3


def test_a_later_frame_counts() -> None:
    films = [
        encoded(grey(0), "image/gif", save_all=True, append_images=[grey(last)], duration=9)
        for last in (100, 200)
    ]
    one, other = (key(replace(REQUEST, images=(film,))) for film in films)
    assert one != other


@pytest.mark.parametrize(
    "data",
    [b"", b"no image", encoded(grey(*range(250))).data[:45]],
    ids=["empty", "text", "cut off"],
)
def test_an_image_that_cannot_be_decoded_is_refused(data: bytes) -> None:
    with pytest.raises(MedagentsError, match="image/png: cannot be decoded"):
        key(replace(REQUEST, images=(Image(data, "image/png"),)))


def test_half_an_emoji_has_a_key_of_its_own() -> None:
    texts = ["\ud83d", "\\ud83d", "\ud83e", ""]
    assert len({key(Request("m", (Message("user", text),))) for text in texts}) == 4


def test_a_setting_that_is_no_json_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        key(replace(REQUEST, engine={"scale": float("nan")}))
