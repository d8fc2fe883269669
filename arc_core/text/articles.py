"""The article before the name of an interface, in messages."""

__all__ = ["with_article"]


def with_article(name: str) -> str:
    """`a Guard`, `an OutputGuard`; a U is spoken as in `user`."""
    return f"an {name}" if name[:1] in set("AEIOaeio") else f"a {name}"
