"""Words in a cipher are read; honest words are not taken for one."""

import pytest

from arc_plugins.guards.injection_detection.disguises import CipherReader

READER = CipherReader(["ignore", "previous", "level", "rules"])


@pytest.mark.parametrize(
    "words",
    [
        ["vtaber", "nyy", "cerivbhf"],
        ["rtmliv", "zoo", "kiverlfh"],
        ["erongi", "lla", "suoiverp"],
        ["suoiverp", "lla", "erongi"],
    ],
)
def test_a_cipher_is_read(words: list[str]) -> None:
    """Letters exchanged for others, words backwards and whole texts backwards become plain."""
    assert ["ignore", "all", "previous"] in list(READER.read(words))


@pytest.mark.parametrize("words", [[], ["level", "level"], ["erongi", "it"], ["ignore", "rules"]])
def test_honest_words_have_one_reading(words: list[str]) -> None:
    """One telling word is chance, and a word that reads the same both ways tells nothing."""
    assert list(READER.read(words)) == []
