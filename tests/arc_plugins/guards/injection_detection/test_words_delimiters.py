"""Forged marks of roles are told from honest mark-up."""

import pytest

from arc_plugins.guards.injection_detection.words import DELIMITER


@pytest.mark.parametrize(
    "mark",
    [
        "<|im_start|>",
        "<|endoftext|>",
        "<<sys>>",
        "[inst]",
        "[/inst]",
        "[system message]",
        "{system}",
        "</system>",
        '<system role="x">',
        "### instruction",
        "## new system",
        '"role": "system"',
        "--- end of input ---",
        "%%% end user",
        "\nassistant:",
        "\n**system**:",
    ],
)
def test_a_forged_mark_is_found(mark: str) -> None:
    """Marks of chat templates, headings, frames and roles in JSON."""
    assert DELIMITER.search(f"\n{mark}\n")


@pytest.mark.parametrize(
    "text",
    ["<b>bold</b>", "a[index]", "# heading", "the system: a", '"role": "admin"', "a -- b", "<br>"],
)
def test_honest_markup_is_not(text: str) -> None:
    """Mark-up, code and prose that look a little like it."""
    assert DELIMITER.search(f"\n{text}\n") is None
