"""Pauses the search for garbage while much is imported that stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["garbage_collection_paused"]


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Do without it: what is imported stays, and looking through it costs a tenth of the import."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _count_all_as_old()
            gc.enable()


def _count_all_as_old() -> None:
    """Put every object into the oldest generation, where it is looked through least often.

    The next two collections would look through everything that was made during the pause.
    """
    if not gc.get_freeze_count():  # what the program has frozen is not to be thawed
        gc.freeze()
        gc.unfreeze()
