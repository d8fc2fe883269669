"""One rule for every list: a text alone is refused, since Python would read it letter by letter."""

from arc_core.error_base import ConfigurationError


def is_text(value: object) -> bool:
    """Return if a value is a text, or bytes, which Python takes for a sequence."""
    return isinstance(value, str | bytes | bytearray)


def check_list(values: object, *, what: str) -> None:
    """Refuse a text alone in place of a list, called as in "tools of the agent 'shop'"."""
    if is_text(values):
        raise ConfigurationError(
            f"{what} is not a list",
            evidence=["it is a text alone, which would be read letter by letter"],
            remedy=f"write a list, also of one: [{values!r}]",
        )
