"""What errors of the wiring say."""

import pytest

from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.errors import PluginError, UnknownNameError, describe_cause, fold_name, nearest


def _caught(call: object) -> Exception:
    assert callable(call)
    try:
        call()
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is looked at
        return error
    raise AssertionError


def _fail() -> None:
    msg = "no\n  licence"
    raise ValueError(msg)


def test_an_unknown_name_is_answered_with_what_was_meant() -> None:
    """Or, if nothing is near, with what there is."""
    near = UnknownNameError(setting="llm.provider", name="opnai", known=["openai", "offline"])
    far = UnknownNameError(setting="llm.provider", name="xyzzy", known=[])

    assert near.remedy == "write 'openai'"
    assert near.evidence == ("known names: offline, openai",)
    assert far.evidence == ("known names: none",)
    assert far.remedy.startswith("use a known name")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("acme_pii", "acme-pii"), ("ACME-PI", "acme-pii"), ("redsi", "redis"), ("x", None)],
)
def test_capitals_and_hyphens_make_no_difference(name: str, meant: str | None) -> None:
    """Variables know neither."""
    assert nearest(name, ["acme-pii", "redis"]) == meant
    assert fold_name("ACME-pii") == "acme_pii"


def test_a_cause_is_one_line_with_its_place() -> None:
    """The file and line of the code that raised, not of Arc's that called it."""
    cause = describe_cause(_caught(_fail))

    assert cause.startswith("ValueError: no licence (")
    assert f"{__file__}:" in cause


def test_frames_of_arc_and_of_the_import_system_are_not_the_place() -> None:
    """They would be named for every module that is not there."""
    missing = Reference("nowhere_to_be_found", "x")

    cause = describe_cause(_caught(missing.load))

    assert cause.startswith("ModuleNotFoundError: No module named 'nowhere_to_be_found' (")
    assert f"{__file__}:" in cause
    assert describe_cause(KeyError()) == "KeyError"


def test_an_error_of_arcs_own_is_told_whole() -> None:
    """What it says is written for people already."""
    error = PluginError("it is broken", evidence=["a fact"], remedy="repair it")

    assert describe_cause(error) == "it is broken; a fact; repair it"
