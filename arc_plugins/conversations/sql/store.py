"""Keeps conversations in SQLite or PostgreSQL: they outlive the process and may be shared.

Pick SQLite for the processes of one machine, PostgreSQL for several machines. A load costs two
short look-ups along an index, an append one short transaction. Settings: `conversation.url`. Needs
the extra `sql`, for PostgreSQL `postgres`; the schema comes with `arc db upgrade`.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table, delete, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arc_core import (
    AmbiguousSessionError,
    ConfigurationError,
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    HandoffStore,
    ListedSession,
    ListsSessions,
    Message,
    OfferedToolsStore,
    Recollection,
    SchemaUpgrade,
    SessionOwnershipError,
    SummaryStore,
    UpgradesSchema,
    UserMessage,
)
from arc_core.health_checks import check_conversation_store
from arc_core.interfaces.optional import Health
from arc_core.messages.sessions import first_turn, title_of
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.conversations.sql import statements
from arc_plugins.conversations.sql.bodies import (
    MessageBody,
    RememberedMessages,
    StoredMessage,
    decode,
    encode,
    hashes_in,
)
from arc_plugins.conversations.sql.database import (
    SCHEMA,
    attachments,
    conversation_address,
    offered_tools,
    sessions,
)
from arc_plugins.conversations.sql.database import handoffs as handoffs_table
from arc_plugins.conversations.sql.database import messages as messages_table


class SqlConversationStore(
    ConversationStore, SummaryStore, HandoffStore, OfferedToolsStore, ListsSessions, UpgradesSchema
):
    """Sessions in a database, decided on there: several processes may write to one at once.

    Messages that say the same are given back as the same object while they are remembered, since
    chat models keep what they make of a message.
    """

    def __init__(self, *, settings: HistorySettings) -> None:
        if settings.url is None:
            raise ConfigurationError(
                "a database is to keep the conversations, and conversation.url does not name one",
                remedy="set conversation.url, as in sqlite:///conversations.db",
            )
        self._address = conversation_address(settings.url.get_secret_value())
        self._remembered = RememberedMessages()
        self._engine: AsyncEngine | None = None

    async def start(self) -> None:
        """Open the database, which can be reached and written, and whose schema fits."""
        self._engine = await SCHEMA.open_engine(self._address)

    async def aclose(self) -> None:
        """Close the connections; the store may be started again, on another event loop as well."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()

    async def upgrade_schema(self) -> SchemaUpgrade:
        """Create the schema or bring it up to date."""
        return await SCHEMA.upgrade(self._address)

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Return its owner, who wrote first; None for a session that does not exist."""
        async with self._open.connect() as connection:
            found = await _find_session(connection, session_id)
        return None if found is None else found[1]

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns, oldest first, from a multiple of `step` on; a question begins each."""
        found = await self.recall(session_id, owner=owner, max_turns=max_turns, step=step)
        return found.messages

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        """The summary with the last turns; an empty recollection of a session that is not there."""
        async with self._open.connect() as connection:
            found = await connection.execute(statements.session_row(session_id, owner))
            row = found.one_or_none()
            if row is None:
                return Recollection()
            session, is_own, turns, told, text = row
            if not is_own:
                raise SessionOwnershipError(session_id=session_id)
            before = first_turn(turns, max_turns=max_turns, step=step)
            messages = await self._read_turns(connection, session, first=before + 1, last=turns)
        summary = None
        if text is not None and told is not None:
            summary = ConversationSummary(json.loads(text), told)
        return Recollection(turns=turns, messages=messages, summary=summary)

    async def append(
        self,
        session_id: str,
        messages: Sequence[Message],
        *,
        owner: ConversationOwner,
        run_id: str | None = None,
    ) -> None:
        """Add messages adjacent to each other, or none; the first append makes the owner.

        Of a run, the first append counts, whichever process it comes from.
        """
        stored = list(map(encode, messages))
        claim = statements.claimed_session(
            session_id,
            owner,
            turns=_count_turns(messages),
            messages_added=len(messages),
            dialect=self._dialect,
        )
        async with self._open.connect() as connection:
            claimed = (await connection.execute(claim)).one_or_none()
            if claimed is None:
                raise SessionOwnershipError(session_id=session_id)
            if run_id is not None:
                run = statements.claimed_run(claimed.id, run_id, dialect=self._dialect)
                if (await connection.execute(run)).one_or_none() is None:
                    return  # without a commit, which takes the claim back
            rows = _rows(messages, stored, claimed.id, turns=claimed.turns, total=claimed.messages)
            data = [
                {"session": claimed.id, "hash": name, "data": content}
                for each in stored
                for name, content in each.data.items()
            ]
            await _write(connection, list(rows), data, dialect=self._dialect)
            await connection.commit()

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Replace the summary of a session that is still the owner's, by one that tells more."""
        async with self._open.begin() as connection:
            await connection.execute(
                statements.kept_summary(session_id, summary, owner, dialect=self._dialect)
            )

    async def load_handoffs(
        self, session_id: str, *, owner: ConversationOwner
    ) -> Mapping[str, str]:
        """Return the agents that answer for others; empty for a session that does not exist."""
        return await self._load_beside(handoffs_table, session_id, owner=owner) or {}

    async def keep_handoffs(
        self, session_id: str, handoffs: Mapping[str, str], *, owner: ConversationOwner
    ) -> None:
        """Replace the handoffs of a session that is still the owner's."""
        await self._keep_beside(handoffs_table, session_id, dict(handoffs), owner=owner)

    async def load_offered_tools(
        self, session_id: str, agent: str, *, owner: ConversationOwner
    ) -> Collection[str]:
        """The tools that an agent was offered last; empty for a session that does not exist."""
        return await self._load_beside(offered_tools, session_id, owner=owner, agent=agent) or ()

    async def keep_offered_tools(
        self, session_id: str, agent: str, tools: Collection[str], *, owner: ConversationOwner
    ) -> None:
        """Replace the tools of an agent in a session that is still the owner's."""
        await self._keep_beside(offered_tools, session_id, sorted(tools), owner=owner, agent=agent)

    async def sessions_of(self, owner: ConversationOwner, *, limit: int) -> Sequence[ListedSession]:
        """The sessions of one owner, the last appended to first."""
        async with self._open.connect() as connection:
            rows = await connection.execute(statements.select_sessions(owner, limit))
            return [_session_in(*row) for row in rows]

    async def delete(self, session_id: str, *, owner: ConversationOwner | None = None) -> None:
        """Forget a session; nothing happens if there is none.

        What is found is deleted by its number, which stays its owner's.
        """
        async with self._open.begin() as connection:
            found = await _find_session(connection, session_id, owner=owner)
            if found is not None:
                # Messages, attachments and all else go with it.
                await connection.execute(delete(sessions).where(sessions.c.id == found[0]))

    async def check_health(self) -> Health:
        """Keep a conversation for a moment."""
        return await check_conversation_store(self, name="sql")

    async def _load_beside(
        self, table: Table, session_id: str, *, owner: ConversationOwner, agent: str | None = None
    ) -> Any:
        select = statements.value_beside(table, session_id, owner=owner, agent=agent)
        async with self._open.connect() as connection:
            row = (await connection.execute(select)).one_or_none()
        if row is None:
            return None
        is_own, value = row
        if not is_own:
            raise SessionOwnershipError(session_id=session_id)
        return None if value is None else json.loads(value)

    async def _keep_beside(
        self,
        table: Table,
        session_id: str,
        value: object,
        *,
        owner: ConversationOwner,
        agent: str | None = None,
    ) -> None:
        kept = statements.kept_beside(
            table, session_id, value, owner=owner, agent=agent, dialect=self._dialect
        )
        async with self._open.begin() as connection:
            await connection.execute(kept)

    async def _read_turns(
        self, connection: AsyncConnection, session: int, *, first: int, last: int
    ) -> tuple[Message, ...]:
        """The messages of some turns; none if the session is deleted while they are read."""
        found = await connection.execute(statements.turns_between(session, first, last))
        bodies = [MessageBody(*row) for row in found]
        messages = list(map(self._remembered.get, bodies))
        new = [body for body, message in zip(bodies, messages, strict=True) if message is None]
        data = await self._read_data(connection, session, new) if new else {}
        if data is None:
            return ()
        return tuple(
            self._remembered.put(body, data) if message is None else message
            for body, message in zip(bodies, messages, strict=True)
        )

    async def _read_data(
        self, connection: AsyncConnection, session: int, bodies: Sequence[MessageBody]
    ) -> Mapping[str, bytes] | None:
        """The bytes of attachments by their hashes; None if the session has been deleted."""
        hashes = {name for body in bodies for name in hashes_in(body)}
        rows = await connection.execute(statements.select_data(session, hashes))
        data = {name: content for name, content in rows}  # noqa: C416 -- mypy knows the types then
        return None if hashes - data.keys() else data

    @property
    def _dialect(self) -> str:
        return self._open.dialect.name

    @property
    def _open(self) -> AsyncEngine:
        if self._engine is None:
            raise RuntimeError("the conversation store is not started: await start() first")
        return self._engine


async def _find_session(
    connection: AsyncConnection, session_id: str, *, owner: ConversationOwner | None = None
) -> tuple[int, ConversationOwner] | None:
    """Number and owner of a session: in the owner's tenant, or the only one there is of the id."""
    if owner is not None:
        row = (await connection.execute(statements.session_row(session_id, owner))).one_or_none()
        if row is not None and not row[1]:
            raise SessionOwnershipError(session_id=session_id)
        return None if row is None else (row[0], owner)
    rows = (await connection.execute(statements.owners_in_rows(session_id))).all()
    found = [(number, statements.owner_from(owner_text)) for number, owner_text in rows]
    if len(found) > 1:
        owners = [each for _, each in found]
        raise AmbiguousSessionError(session_id=session_id, owners=owners)
    return found[0] if found else None


def _session_in(session: str, updated_at: datetime, first: str | None) -> ListedSession:
    messages = [] if first is None else [decode(MessageBody(first), {})]
    is_aware = updated_at.tzinfo is not None  # SQLite keeps UTC without saying so
    return ListedSession(
        session_id=json.loads(session),
        title=title_of(messages),
        updated_at=updated_at.astimezone(UTC) if is_aware else updated_at.replace(tzinfo=UTC),
    )


def _rows(
    messages: Sequence[Message],
    stored: Sequence[StoredMessage],
    session: int,
    *,
    turns: int,
    total: int,
) -> Iterator[dict[str, object]]:
    """The rows of the last messages of a session with these counts."""
    turn = turns - _count_turns(messages)
    for position, (message, each) in enumerate(
        zip(messages, stored, strict=True), total - len(messages) + 1
    ):
        turn += isinstance(message, UserMessage)
        place = {"session": session, "turn": turn, "position": position}
        yield {**place, "body": each.body.text, "attachments": each.body.attachments}


def _count_turns(messages: Iterable[Message]) -> int:
    return sum(isinstance(message, UserMessage) for message in messages)


async def _write(
    connection: AsyncConnection,
    rows: Sequence[Mapping[str, object]],
    data: Sequence[Mapping[str, object]],
    *,
    dialect: str,
) -> None:
    """Write messages, and the bytes of attachments that the session does not have yet."""
    # They return something, which makes each one statement: psycopg's executemany leaves its
    # pipeline open if it is cancelled, and the pool would hand on that connection.
    if data:
        kept = statements.kept_data(dialect=dialect).returning(attachments.c.hash)
        await connection.execute(kept, data)
    if rows:
        added = insert(messages_table).returning(messages_table.c.position)
        await connection.execute(added, rows)
