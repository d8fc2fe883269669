"""Which name was meant."""

from arc_core.text.near_names import nearest


def test_the_nearest_name_is_found_whatever_its_capitals_and_hyphens() -> None:
    """As variables write it."""
    assert nearest("FIND_ORDR", ["other", "find-order"]) == "find-order"


def test_a_name_that_is_near_to_none_meant_none() -> None:
    """Nothing is suggested that was not meant."""
    assert nearest("x", ["find_order"]) is None
