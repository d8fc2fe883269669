"""One rule for every list: a text alone is refused, since Python would read it letter by letter."""

from arc_core.error_base import ConfigurationError


def is_text(value: object) -> bool:
    """Return if a value is a text, or bytes, which Python takes for a sequence."""
    return isinstance(value, str | bytes | bytearray)


def check_list(values: object, *, what: str) -> None:
    """Check that something that is to be a list is not a text alone.

    Args:
        values: What was given.
        what: How an error calls it: "tools of the agent 'shop'".

    Raises:
        ConfigurationError: It is a text.
    """
    if is_text(values):
        raise ConfigurationError(
            f"{what} is not a list",
            evidence=["it is a text alone, which would be read letter by letter"],
            remedy=f"write a list, also of one: [{values!r}]",
        )
