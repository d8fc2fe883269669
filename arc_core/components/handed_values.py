"""The values that a caller hands to a run: one, or several in a tuple."""

from collections.abc import Iterator


def handed_values(deps: object) -> tuple[object, ...]:
    """Return the values that `deps` holds: those of a tuple, else itself; none for None.

    A named tuple is one value, as it has a type of its own.
    """
    if deps is None:
        return ()
    return deps if type(deps) is tuple else (deps,)


def find_handed(deps: object, wanted: object) -> Iterator[object]:
    """Return the values of a type among those that were handed over."""
    return (each for each in handed_values(deps) if wanted in type(each).__mro__)
