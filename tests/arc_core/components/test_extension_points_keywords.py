"""What a callable takes."""

from arc_core.components.extension_points import takes_parameter


def test_a_named_parameter_is_taken() -> None:
    """By its name, or among any others; another is not."""

    def named(*, owner: object) -> None: ...

    def collecting(**options: object) -> None: ...

    def other(session_id: str) -> None: ...

    assert [takes_parameter(each, "owner") for each in (named, collecting, other)] == [
        True,
        True,
        False,
    ]


def test_what_does_not_say_what_it_takes_is_called_without() -> None:
    """As some functions that are written in C."""
    assert not takes_parameter(iter, "owner")
