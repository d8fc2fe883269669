"""Keeps conversations in SQLite or PostgreSQL: they outlive the process and may be shared.

Pick SQLite for the processes of one machine, PostgreSQL for several machines. A load costs two
short look-ups along an index, an append one short transaction. Settings: `conversation.url`. Needs
the extra `sql`, for PostgreSQL `postgres`; the schema comes with `arc db upgrade`.
"""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from arc_core import (
    ConfigurationError,
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    Message,
    Recollection,
    SchemaUpgrade,
    SessionOwnershipError,
    SummaryStore,
    UpgradesSchema,
    UserMessage,
)
from arc_core.health_checks import check_conversation_store
from arc_core.interfaces.optional import Health
from arc_core.turn_steps import first_turn
from arc_plugins.conversations.settings import ConversationSettings
from arc_plugins.conversations.sql import statements
from arc_plugins.conversations.sql.address import address_of
from arc_plugins.conversations.sql.database import open_engine
from arc_plugins.conversations.sql.message_json import decode, encode
from arc_plugins.conversations.sql.schema import messages as messages_table
from arc_plugins.conversations.sql.upgrade import upgrade

__all__ = ["SqlConversationStore"]

_MESSAGES_REMEMBERED = 2_000


class SqlConversationStore(ConversationStore, SummaryStore, UpgradesSchema):
    """Sessions in a database, decided on there: several processes may write to one at once.

    Messages that say the same are given back as the same object while they are remembered, since
    chat models keep what they make of a message.
    """

    def __init__(self, *, settings: ConversationSettings) -> None:
        if settings.url is None:
            raise ConfigurationError(
                "a database is to keep the conversations, and conversation.url does not name one",
                remedy="set conversation.url, as in sqlite:///conversations.db",
            )
        self._address = address_of(settings.url.get_secret_value())
        self._decoded = lru_cache(_MESSAGES_REMEMBERED)(decode)
        self._engine: AsyncEngine | None = None

    async def start(self) -> None:
        """Open the database.

        Raises:
            ConfigurationError: It cannot be reached or written, or its schema does not fit.
        """
        self._engine = await open_engine(self._address)

    async def aclose(self) -> None:
        """Close the connections; the store may be started again, on another event loop as well."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()

    async def upgrade_schema(self) -> SchemaUpgrade:
        """Create the schema or bring it up to date.

        Raises:
            ConfigurationError: The database cannot be reached or written, or its schema is newer.
        """
        return await upgrade(self._address)

    async def owner_of(self, session_id: str) -> ConversationOwner | None:
        """Who wrote first; None for a session that does not exist."""
        async with self._open.connect() as connection:
            owner = await connection.scalar(statements.owner_in_row(session_id))
        return None if owner is None else statements.owner_from(owner)

    async def load(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Sequence[Message]:
        """The last turns, oldest first, from a multiple of `step` on; each starts with a question.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        found = await self.recall(session_id, owner=owner, max_turns=max_turns, step=step)
        return found.messages

    async def recall(
        self, session_id: str, *, owner: ConversationOwner, max_turns: int, step: int = 1
    ) -> Recollection:
        """The summary with the last turns; an empty recollection of a session that is not there.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        async with self._open.connect() as connection:
            found = await connection.execute(statements.session_row(session_id, owner))
            row = found.one_or_none()
            if row is None:
                return Recollection()
            session, is_own, turns, told, text = row
            if not is_own:
                raise SessionOwnershipError(session_id=session_id)
            before = first_turn(turns, max_turns=max_turns, step=step)
            bodies = await connection.scalars(statements.turns_between(session, before + 1, turns))
            messages = tuple(map(self._decoded, bodies))
        summary = None
        if text is not None and told is not None:
            summary = ConversationSummary(json.loads(text), told)
        return Recollection(turns=turns, messages=messages, summary=summary)

    async def append(
        self, session_id: str, messages: Sequence[Message], *, owner: ConversationOwner
    ) -> None:
        """Add messages adjacent to each other, or none; the first append makes the owner.

        Raises:
            SessionOwnershipError: The session belongs to another owner.
        """
        engine = self._open
        claim = statements.claimed_session(
            session_id,
            owner,
            turns=sum(isinstance(message, UserMessage) for message in messages),
            messages_added=len(messages),
            dialect=engine.dialect.name,
        )
        async with engine.begin() as connection:
            claimed = (await connection.execute(claim)).one_or_none()
            if claimed is None:
                raise SessionOwnershipError(session_id=session_id)
            if messages:
                rows = _rows(
                    messages, session=claimed.id, turns=claimed.turns, total=claimed.messages
                )
                await connection.execute(insert(messages_table), list(rows))

    async def keep_summary(
        self, session_id: str, summary: ConversationSummary, *, owner: ConversationOwner
    ) -> None:
        """Replace the summary of a session that is still the owner's, by one that tells more."""
        engine = self._open
        async with engine.begin() as connection:
            await connection.execute(
                statements.kept_summary(session_id, summary, owner, dialect=engine.dialect.name)
            )

    async def delete(self, session_id: str) -> None:
        """Forget a session; nothing happens if there is none."""
        async with self._open.begin() as connection:
            await connection.execute(statements.deleted_session(session_id))

    async def check_health(self) -> Health:
        """Keep a conversation for a moment."""
        return await check_conversation_store(self, name="sql")

    @property
    def _open(self) -> AsyncEngine:
        if self._engine is None:
            raise RuntimeError("the conversation store is not started: await start() first")
        return self._engine


def _rows(
    messages: Sequence[Message], *, session: int, turns: int, total: int
) -> Iterator[dict[str, object]]:
    """The rows of messages that are the last ones of a session with these counts."""
    turn = turns - sum(isinstance(message, UserMessage) for message in messages)
    for position, message in zip(count(total - len(messages) + 1), messages, strict=False):
        turn += isinstance(message, UserMessage)
        yield {"session": session, "turn": turn, "position": position, "body": encode(message)}
