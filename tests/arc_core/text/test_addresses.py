"""Addresses show no secrets."""

import json

import httpx2
import pytest
from pydantic import BaseModel, ValidationError

from arc_core.settings import EmbedderSettings, LlmSettings
from arc_core.text.addresses import (
    ADDRESS_MASK,
    check_http_address,
    cut_addresses,
    mask_addresses,
    origin_of,
    origin_of_address,
)

URL = "https://ann:hunter2@host:8443/v1?key=hunter2#hunter2"


@pytest.mark.parametrize(
    "section", [LlmSettings(base_url=URL), EmbedderSettings(base_url=URL)], ids=["llm", "tools"]
)
def test_a_section_shows_no_password(section: BaseModel) -> None:
    """Neither by its repr nor by what is dumped of it, as values or as JSON."""
    shown = [repr(section), str(section), repr(section.model_dump()), section.model_dump_json()]

    assert not any("hunter2" in each for each in shown)
    assert all("host:8443/v1" in each for each in shown)


def test_the_library_that_connects_gets_it_whole() -> None:
    """It is a string like any other."""
    base_url = LlmSettings.model_validate({"base_url": URL}).base_url

    assert base_url == URL
    assert json.dumps(base_url) == json.dumps(URL)


def test_an_address_is_text() -> None:
    """Nothing else is taken for one."""
    with pytest.raises(ValidationError):
        LlmSettings.model_validate({"base_url": 3})


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("no address: ann@host", "no address: ann@host"),
        ("http://host/path", "http://host/path"),
        ("redis://:p@ss/w#o?rd@host:1/0 failed", f"redis://{ADDRESS_MASK}@host:1/0 failed"),
        (
            "http://host/?key=x http://host#x",
            f"http://host/?{ADDRESS_MASK} http://host#{ADDRESS_MASK}",
        ),
    ],
)
def test_texts_are_masked(*, text: str, masked: str) -> None:
    """Every address in them, and nothing else."""
    assert mask_addresses(text) == masked


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        (URL, "https://host:8443"),
        ("http://a:b/c@host", f"http://{ADDRESS_MASK}"),
        ("https://evil.example/@api.openai.com/v1", f"https://{ADDRESS_MASK}"),
        ("https://evil.example\\@api.openai.com", f"https://{ADDRESS_MASK}"),
        ("npx", None),
    ],
)
def test_the_origin_is_what_is_safe_to_show(*, text: str, origin: str | None) -> None:
    """Scheme, host and port; never a host that is not asked, nor a part of a password."""
    assert origin_of_address(text) == origin


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        (URL, "https://host:8443"),
        ("https://evil.example/@good", "https://evil.example"),
        ("http://[::1]:81/x", "http://[::1]:81"),
        ("http://host", "http://host"),
    ],
)
def test_the_origin_of_a_parsed_address_is_what_is_asked(*, url: str, origin: str) -> None:
    """The library says which host that is."""
    assert origin_of(httpx2.URL(url)) == origin


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (f"asked {URL} twice", f"asked https://host:8443/{ADDRESS_MASK} twice"),
        ("redis://:p@ss/w#o?rd@host:1/0", f"redis://{ADDRESS_MASK}"),
        ("http://host and ann@host", "http://host and ann@host"),
    ],
)
def test_addresses_are_cut(*, text: str, cut: str) -> None:
    """Paths may hold tokens, too."""
    assert cut_addresses(text) == cut


def test_masking_takes_time_by_length_only() -> None:
    """Text that almost is an address does not make it try again from each character."""
    text = "a" * 200_000 + ":/" + "a+" * 100_000

    assert mask_addresses(text) == text
    assert cut_addresses(text) == text


@pytest.mark.parametrize(
    "address",
    [
        "http://host:port", "http://u:hunter2/x@host", "http://host:99999", "http://host:0",
        "ftp://host", "host:8080/v1", "http:/host", "http://", "hunter2", "", "http://[::1",
        "http://ho\u2100st", "http://a b", "http://host/\x07",
    ],
)  # fmt: skip
def test_what_is_not_an_http_address_is_refused_without_repeating_it(address: str) -> None:
    """Libraries would repeat what they cannot read, which may be a password."""
    with pytest.raises(ValueError, match="is not an address") as refusal:
        check_http_address(address)

    assert "hunter2" not in str(refusal.value)
    assert refusal.value.__cause__ is None


@pytest.mark.parametrize(
    "address",
    [
        "http://host",
        "https://u:p%2Fw@host:8443/v1?a=b#c",
        "http://[::1]:80/",
        "HTTP://h\u00e9.example",
    ],
)
def test_an_http_address_is_taken_as_it_is(address: str) -> None:
    """With credentials, ports and all that belongs to one."""
    assert check_http_address(address) == address
