"""References to recorded values: what a step has recorded is written once.

A reference is `{"$recorded": ["tool/3", "value", "result"]}`: the key of a step, and the way to the
value in its record. An object that has this key itself stands as `{"$recorded": {…}}`.

Steps tell in plain text what they gave, since operators read them. Events refer to steps, and so do
the messages of a result.

The parts of what models are asked are written once in a store: steps of any run name them by their
digests.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

from pydantic_core import to_json
from sqlalchemy import Connection, delete, exists, select
from sqlalchemy.dialects import postgresql, sqlite

from arc_core.errors import FormError
from arc_core.runs.journal import RecordedPart
from arc_plugins.journals.sql.tables import part_uses, parts, runs, steps

_MARK = "$recorded"
_WORTH_CHARS = 100
"""The least length of a value's text that is not written again."""

_DEPTH = 10
"""The depth below a value to which references stand; deeper values stay as they are."""

FINISH_KEY = "finish"
"""The step whose value is the result of a run."""

_WRITER = json.JSONEncoder(separators=(",", ":"))


def is_finish(key: str) -> bool:
    """Return true if a step gives the result of a run, or of one that a tool call has started."""
    return key.rpartition("/")[2] == FINISH_KEY


def has_stopped(record: Any) -> bool:
    """Return true if a step has ended the run without an answer, by the type of what it gave."""
    value = record.get("value") if isinstance(record, dict) else None
    return isinstance(value, dict) and value.get("type") == "stopped"


class RecordedValues:
    """An index of the values that the steps of a run have recorded."""

    def __init__(self) -> None:
        self._places: dict[bytes, tuple[str | int, ...]] = {}

    def add(self, key: str, text: str) -> None:
        """Note the values of a record, which is written before what refers to it, or with that.

        One that has ended the run is left out: it is removed if the run is taken up again.
        """
        try:
            record = json.loads(text)
            if not has_stopped(record):
                for name, member in _members(record):
                    self._note(member, (key, name))
        except (ValueError, RecursionError):  # it is written again then, as any other text
            return

    def _note(self, value: Any, way: tuple[str | int, ...]) -> None:
        if not _may_be_long(value):
            return
        digest = _digest(value)
        if digest is not None and len(way) <= _DEPTH:
            self._places.setdefault(digest, way)
            for name, member in _members(value):
                self._note(member, (*way, name))

    def refer(self, value: Any, *, depth: int = 0) -> Any:
        """A JSON value in which references stand for what is recorded already."""
        if depth > _DEPTH or not _may_be_long(value):
            return value
        digest = _digest(value)
        if digest is not None and digest in self._places:
            return {_MARK: list(self._places[digest])}
        referring = _map(value, lambda member: self.refer(member, depth=depth + 1))
        return {_MARK: referring} if type(value) is dict and _MARK in value else referring


class Records:
    """Records of steps by their keys; a result as it was before it referred to others."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._read: dict[str, Any] = {}

    def restore(self, value: Any, *, depth: int = 0) -> Any:
        """A JSON value as it was before references were put in it; their steps must be there."""
        if depth > _DEPTH:
            return value
        found = value.get(_MARK) if isinstance(value, dict) else None
        if isinstance(found, list):
            return self._value_at(*found)
        plain = found if isinstance(found, dict) else value
        return _map(plain, lambda member: self.restore(member, depth=depth + 1))

    def has(self, key: str) -> bool:
        """Return true if there is a record of a step."""
        return key in self._texts

    def text(self, key: str) -> str:
        """Return the record of a step."""
        text = self._texts[key]
        return change_messages(text, self.restore) if is_finish(key) else text

    def _value_at(self, key: str, *way: str | int) -> Any:
        if key not in self._texts:
            raise FormError(
                f"the step {key!r} is not there, which has recorded the value",
                place="$",
                remedy="restore the table arc_run_steps",
            )
        if key not in self._read:
            self._read[key] = json.loads(self.text(key))
        value = self._read[key]
        for name in way:
            value = value[name]
        return value


def steps_named_in(value: Any) -> Iterator[str]:
    """The keys of the steps to which a value refers."""
    found = value.get(_MARK) if isinstance(value, dict) else None
    if isinstance(found, list):
        yield found[0]
        return
    for _, member in _members(value):
        yield from steps_named_in(member)


def named_by_messages(text: str) -> set[str]:
    """The keys of the steps to which the messages of a result, or of its step, refer."""
    named: set[str] = set()

    def note(messages: Any) -> Any:
        named.update(steps_named_in(messages))
        return messages

    change_messages(text, note)
    return named


def change_messages(text: str, change: Callable[[Any], Any]) -> str:
    """The text of a result, or of the step that gave it, with other messages."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # its messages were not changed either
        return text
    value = found.get("value", found) if isinstance(found, dict) else None
    if not isinstance(value, dict) or not value.get("messages"):
        return text
    value["messages"] = change(value["messages"])
    return json.dumps(found, ensure_ascii=text.isascii(), separators=(",", ":"))


def _may_be_long(value: Any) -> bool:
    """Return true if a JSON value may be long enough to refer to, or holds one that is."""
    kind = type(value)
    return kind is dict or kind is list or (kind is str and len(value) >= _WORTH_CHARS)


def _digest(value: Any) -> bytes | None:
    """Return a digest of a value; None for one that is too short to refer to."""
    try:
        text = to_json(value, inf_nan_mode="constants")
    except ValueError:  # it has half of a character, or is nested deeply
        text = _WRITER.encode(value).encode()
    return None if len(text) < _WORTH_CHARS else blake2b(text, digest_size=16).digest()


def _members(value: Any) -> Collection[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return value.items()
    return list(enumerate(value)) if isinstance(value, list) else ()


def _map(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {name: change(member) for name, member in value.items()}
    return [change(member) for member in value] if isinstance(value, list) else value


_AT_ONCE = 500


def read_records(connection: Connection, run_id: str, keys: Collection[str]) -> Records:
    """Read the records of some steps, and of those to which they refer themselves."""
    texts: dict[str, str] = {}
    wanted = set(keys)
    while wanted:
        found = dict(_read_texts(connection, run_id, sorted(wanted)))
        texts |= found
        named = (named_by_messages(text) for key, text in found.items() if is_finish(key))
        wanted = {key for keys in named for key in keys} - texts.keys() - wanted
    return Records(texts)


def _read_texts(connection: Connection, run_id: str, keys: list[str]) -> Iterator[tuple[str, str]]:
    for start in range(0, len(keys), _AT_ONCE):
        some = steps.c.key.in_(keys[start : start + _AT_ONCE])
        found = select(steps.c.key, steps.c.value).where(steps.c.run_id == run_id, some)
        yield from ((key, text) for key, text in connection.execute(found))


def insert_once(connection: Connection, table: Any) -> Any:
    """An insertion that does nothing if the row is there."""
    return _insertion(connection.dialect.name, table)


@cache
def _insertion(dialect: str, table: Any) -> Any:
    statement: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    return statement.on_conflict_do_nothing()


def keep_parts(connection: Connection, named: Mapping[str, Sequence[RecordedPart]]) -> None:
    """Keep the parts that runs name, each once, for as long as something names them.

    Those that they name themselves are kept with them. Called once a transaction.
    """
    wanted = [part for its in named.values() for part in its]
    if not wanted:
        return
    there = _hold_parts(connection, {part.digest for part in wanted})
    added = [part for part in wanted if part.digest not in there]
    below = [each for part in added for each in part.parts]
    there |= _hold_parts(connection, {part.digest for part in below})
    texts = {part.digest: part.text for part in (*added, *below) if part.digest not in there}
    uses = {(run_id, part.digest) for run_id, its in named.items() for part in its}
    uses |= {(part.digest, each.digest) for part in added for each in part.parts}
    # Sorted, so that two transactions that add the same do not wait for each other.
    rows = [{"digest": digest, "text": text} for digest, text in sorted(texts.items())]
    if rows:
        connection.execute(insert_once(connection, parts), rows)
    links = [{"used_by": name, "digest": digest} for name, digest in sorted(uses)]
    connection.execute(insert_once(connection, part_uses), links)


def share_parts(connection: Connection, *, used_by: str, also_by: str) -> None:
    """Keep the parts that a run names for another one, too."""
    named = select(part_uses.c.digest).where(part_uses.c.used_by == used_by)
    there = _hold_parts(connection, set(connection.scalars(named)))
    links = [{"used_by": also_by, "digest": digest} for digest in sorted(there)]
    if links:
        connection.execute(insert_once(connection, part_uses), links)


def _hold_parts(connection: Connection, digests: Collection[str]) -> set[str]:
    """Return those parts that are there, and keep them from being removed until the end."""
    if not digests:
        return set()
    found = select(parts.c.digest).where(parts.c.digest.in_(digests))
    return set(connection.scalars(found.with_for_update(read=True, key_share=True)))


def read_parts(connection: Connection, run_id: str) -> Mapping[str, str]:
    """The texts of the parts that a run names, and of those that these name, by their digests."""
    found: dict[str, str] = {}
    users: Collection[str] = (run_id,)
    while users:
        is_named = part_uses.c.used_by.in_(users)
        named = select(parts.c.digest, parts.c.text).join(
            part_uses, part_uses.c.digest == parts.c.digest
        )
        rows = connection.execute(named.where(is_named))
        more = {digest: text for digest, text in rows}  # noqa: C416 -- typed
        users = more.keys() - found.keys()
        found |= more
    return found


def drop_parts(connection: Connection, users: Collection[str]) -> None:
    """Remove what no run names any more, as these runs are removed."""
    while users:
        is_theirs = part_uses.c.used_by.in_(users)
        named = connection.scalars(select(part_uses.c.digest).where(is_theirs).distinct()).all()
        connection.execute(delete(part_uses).where(is_theirs))
        users = _drop_orphans(connection, named)


def _drop_orphans(connection: Connection, digests: Collection[str]) -> Collection[str]:
    """Remove those parts that nothing names; one that a run is about to name is held by it."""
    if not digests:
        return ()
    held = select(parts.c.digest).where(parts.c.digest.in_(digests))
    free = connection.scalars(held.with_for_update(skip_locked=True)).all()
    is_used = exists().where(part_uses.c.digest == parts.c.digest)
    unused = select(parts.c.digest).where(parts.c.digest.in_(free), ~is_used)
    dropped = connection.scalars(unused).all()
    connection.execute(delete(parts).where(parts.c.digest.in_(dropped)))
    return dropped


def find_lost_users(connection: Connection, *, limit: int) -> Collection[str]:
    """Find runs that an older version has removed, which knows of no parts."""
    is_run = exists().where(runs.c.run_id == part_uses.c.used_by)
    is_part = exists().where(parts.c.digest == part_uses.c.used_by)
    found = select(part_uses.c.used_by).where(~is_run, ~is_part).distinct().limit(limit)
    return connection.scalars(found).all()
