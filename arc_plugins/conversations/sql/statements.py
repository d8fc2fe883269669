"""The SQL, for both databases."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Function, Select, Table, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from arc_core import ConversationOwner, ConversationSummary
from arc_plugins.conversations.sql.bodies import json_text
from arc_plugins.conversations.sql.database import (
    OWNER_START_CHARS,
    attachments,
    messages,
    saved_runs,
    sessions,
    summaries,
)

Upsert = postgresql.Insert | sqlite.Insert
_INSERTS: Mapping[str, Callable[[Table], Upsert]] = {
    "postgresql": postgresql.insert,
    "sqlite": sqlite.insert,
}

_BYTES = "utf-8"
"""The key of a name that is not valid Unicode, for the hexadecimal digits of its bytes."""


def owner_from(text: str) -> ConversationOwner:
    """The owner that a row names."""
    user_id, tenant_id = (
        bytes.fromhex(name[_BYTES]).decode("utf-8", "surrogatepass")
        if isinstance(name, Mapping)
        else name
        for name in json.loads(text)
    )
    return ConversationOwner(user_id or "", tenant_id)


def owners_in_rows(session_id: str) -> Select[int, str]:
    """Numbers and owners, for `owner_from`, of the sessions of an id in whichever tenant."""
    return select(sessions.c.id, sessions.c.owner).where(sessions.c.id_hash == _hash(session_id))


def session_row(
    session_id: str, owner: ConversationOwner
) -> Select[int, bool, int, int | None, str | None]:
    """Number of a session, whether it is the owner's, its turns, turns and text of its summary.

    A number belongs to the owner in its row for good: owners do not change, and the number of a
    deleted session is not used again. What is read by the number afterwards is therefore the
    owner's, whatever happened to the session in between.
    """
    is_own = sessions.c.owner == _owner_text(owner)
    return (
        select(sessions.c.id, is_own, sessions.c.turns, summaries.c.turns, summaries.c.text)
        .join(summaries, summaries.c.session == sessions.c.id, isouter=True)
        .where(sessions.c.key == _key(session_id, owner))
    )


def select_sessions(owner: ConversationOwner, limit: int) -> Select[str, datetime, str | None]:
    """Ids as JSON, times and first questions of an owner's sessions, newest first.

    The index has the beginnings of owners, which may be longer than it takes.
    """
    text = _owner_text(owner)
    first = (
        select(messages.c.body)
        .where(messages.c.session == sessions.c.id, messages.c.turn == 1)
        .order_by(messages.c.position)
        .limit(1)
        .scalar_subquery()
    )
    return (
        select(sessions.c.session_id, sessions.c.updated_at, first)
        .where(sessions.c.owner_start == text[:OWNER_START_CHARS], sessions.c.owner == text)
        .order_by(sessions.c.updated_at.desc(), sessions.c.id.desc())
        .limit(limit)
    )


def turns_between(session: int, first: int, last: int) -> Select[str, str | None]:
    """Bodies and attachments of the messages of some turns, both ends included, oldest first."""
    return (
        select(messages.c.body, messages.c.attachments)
        .where(messages.c.session == session, messages.c.turn.between(first, last))
        .order_by(messages.c.turn, messages.c.position)
    )


def claimed_session(
    session_id: str, owner: ConversationOwner, *, turns: int, messages_added: int, dialect: str
) -> ReturningInsert[int, int, int]:
    """Count an append, and lock the session until the transaction ends.

    The first append inserts the row and thereby makes the owner. Returns the session's number and
    its counts including the append; no row if the session is another user's.
    """
    owner_text = _owner_text(owner)
    now: Function[Any] = func.current_timestamp()
    if dialect == "sqlite":  # its own has whole seconds only
        now = func.strftime("%Y-%m-%d %H:%M:%f", "now")
    new = _INSERTS[dialect](sessions).values(
        key=_key(session_id, owner),
        id_hash=_hash(session_id),
        session_id=json_text(session_id),
        owner=owner_text,
        owner_start=owner_text[:OWNER_START_CHARS],
        turns=turns,
        messages=messages_added,
        updated_at=now,
    )
    return new.on_conflict_do_update(
        index_elements=[sessions.c.key],
        set_={
            "turns": sessions.c.turns + new.excluded.turns,
            "messages": sessions.c.messages + new.excluded.messages,
            "updated_at": new.excluded.updated_at,
        },
        where=sessions.c.owner == new.excluded.owner,
    ).returning(sessions.c.id, sessions.c.turns, sessions.c.messages)


def claimed_run(session: int, run_id: str, *, dialect: str) -> ReturningInsert[int]:
    """Remember a run; no row if its messages are there, or will be once another process is done."""
    new = _INSERTS[dialect](saved_runs).values(session=session, run=_hash(run_id))
    return new.on_conflict_do_nothing().returning(saved_runs.c.session)


def kept_data(*, dialect: str) -> Upsert:
    """Keep the bytes of attachments; rows have session, hash and data, and may be there."""
    return _INSERTS[dialect](attachments).on_conflict_do_nothing()


def select_data(session: int, hashes: Collection[str]) -> Select[str, bytes]:
    """Hashes and bytes of a session's attachments."""
    return select(attachments.c.hash, attachments.c.data).where(
        attachments.c.session == session, attachments.c.hash.in_(hashes)
    )


def kept_summary(
    session_id: str, summary: ConversationSummary, owner: ConversationOwner, *, dialect: str
) -> Upsert:
    """Keep a summary that tells more than the one before, of a session that is the owner's."""
    fitting = select(sessions.c.id, literal(summary.turns), literal(json_text(summary.text))).where(
        sessions.c.key == _key(session_id, owner),
        sessions.c.owner == _owner_text(owner),
        sessions.c.turns >= summary.turns,
    )
    new = _INSERTS[dialect](summaries).from_select(["session", "turns", "text"], fitting)
    return new.on_conflict_do_update(
        index_elements=[summaries.c.session],
        set_={"turns": new.excluded.turns, "text": new.excluded.text},
        where=summaries.c.turns < new.excluded.turns,
    )


def value_beside(
    table: Table, session_id: str, *, owner: ConversationOwner, agent: str | None = None
) -> Select[bool, str | None]:
    """Return true if a session is the owner's, and its JSON in the last column of a table.

    The table has one row a session, or one for each of its agents.
    """
    *_, value = table.columns
    is_its: ColumnElement[bool] = table.c.session == sessions.c.id
    if agent is not None:
        is_its &= table.c.agent == _hash(agent)
    return (
        select(sessions.c.owner == _owner_text(owner), value)
        .join(table, is_its, isouter=True)
        .where(sessions.c.key == _key(session_id, owner))
    )


def kept_beside(
    table: Table,
    session_id: str,
    value: object,
    *,
    owner: ConversationOwner,
    agent: str | None = None,
    dialect: str,
) -> Upsert:
    """Replace what `value_beside` finds, of a session that is the owner's."""
    texts = [json_text(value)] if agent is None else [_hash(agent), json_text(value)]
    fitting = select(sessions.c.id, *map(literal, texts)).where(
        sessions.c.key == _key(session_id, owner), sessions.c.owner == _owner_text(owner)
    )
    names = table.columns.keys()
    new = _INSERTS[dialect](table).from_select(names, fitting)
    return new.on_conflict_do_update(
        index_elements=table.primary_key.columns, set_={names[-1]: new.excluded[names[-1]]}
    )


def _key(session_id: str, owner: ConversationOwner) -> str:
    """A hash of tenant and id that is different for all others, with or without a tenant.

    That of a tenant begins with a letter that no hexadecimal digit is.
    """
    if owner.tenant_id is None:
        return _hash(session_id)
    tenant, name = (each.encode("utf-8", "surrogatepass") for each in (owner.tenant_id, session_id))
    digest = hashlib.sha256(b"%d:%b%b" % (len(tenant), tenant, name)).hexdigest()
    return f"t:{digest[:62]}"


def _hash(identity: str) -> str:
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()


def _owner_text(owner: ConversationOwner) -> str:
    """JSON that is the same for the same owner only, since ownership is decided by comparing it."""
    tenant_id = None if owner.tenant_id is None else _name_value(owner.tenant_id)
    return json_text([_name_value(owner.user_id), tenant_id])


def _name_value(name: str) -> str | Mapping[str, str]:
    """The name, or its bytes if JSON would write it as it writes another name.

    JSON has one escape for a character and for the two halves of its surrogate pair.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return {_BYTES: name.encode("utf-8", "surrogatepass").hex()}
    return name
