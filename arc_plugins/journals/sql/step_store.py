"""Reads what steps have recorded, for what refers to them."""

from collections.abc import Collection, Iterator

from sqlalchemy import Connection, select

from arc_plugins.journals.sql.references import Records, is_finish, named_by_messages
from arc_plugins.journals.sql.tables import steps

__all__ = ["records_of"]

_AT_ONCE = 500


def records_of(connection: Connection, run_id: str, keys: Collection[str]) -> Records:
    """What some steps of a run have recorded, and those to which they refer themselves.

    Args:
        connection: Of the database.
        run_id: Of the run.
        keys: Of the steps; none are read for none.
    """
    texts: dict[str, str] = {}
    wanted = set(keys)
    while wanted:
        found = dict(_texts_of(connection, run_id, sorted(wanted)))
        texts |= found
        named = (named_by_messages(text) for key, text in found.items() if is_finish(key))
        wanted = {key for keys in named for key in keys} - texts.keys() - wanted
    return Records(texts)


def _texts_of(connection: Connection, run_id: str, keys: list[str]) -> Iterator[tuple[str, str]]:
    for start in range(0, len(keys), _AT_ONCE):
        some = steps.c.key.in_(keys[start : start + _AT_ONCE])
        found = select(steps.c.key, steps.c.value).where(steps.c.run_id == run_id, some)
        yield from ((key, text) for key, text in connection.execute(found))
