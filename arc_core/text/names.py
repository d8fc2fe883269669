"""Names in messages: their article, and those that were meant by ones that do not exist."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def fold_name(name: str) -> str:
    """A name as it is compared: variables know neither capitals nor hyphens."""
    return name.lower().replace("-", "_")


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that was most likely meant by `name`; None if none is near."""
    return next(iter(find_near(name, known, most=1, cutoff=0.6)), None)


def find_near(name: str, known: Iterable[str], *, most: int, cutoff: float) -> Sequence[str]:
    """The known names that may have been meant by `name`, most likely first."""
    by_folded = {fold_name(each): each for each in known}
    close = get_close_matches(fold_name(name), by_folded, n=most, cutoff=cutoff)
    return [by_folded[each] for each in close]


def with_article(name: str) -> str:
    """`a Guard`, `an OutputGuard`; a U is spoken as in `user`."""
    return f"an {name}" if name[:1] in set("AEIOaeio") else f"a {name}"
