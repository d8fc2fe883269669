"""Customers, orders and refunds in PostgreSQL: a pool for all, a transaction for each run."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from arc_autoconfig import provides
from arc_core import DepsFactory, DepsRequest, NotPermittedError, run_deps, service
from arc_plugins.journals.settings import DurableSettings


@run_deps
@dataclass(frozen=True)
class Customer:
    """The person who asks: handed to each run, in whatever process it goes on."""

    id: str
    name: str


@dataclass(frozen=True)
class Order:
    """An order, and how much of it was paid back."""

    number: int
    item: str
    paid: Decimal
    refunded: Decimal
    state: str


@service
async def connect(settings: DurableSettings) -> AsyncIterator[AsyncEngine]:
    """Open the pool of the application, to the database that has the runs."""
    url = make_url(settings.url.get_secret_value() if settings.url else "postgresql:///")
    engine = create_async_engine(url.set(drivername="postgresql+asyncpg"))
    yield engine
    await engine.dispose()


_FIND = text("""
    SELECT number, item, paid, state,
        (SELECT coalesce(sum(amount), 0) FROM refunds WHERE number = orders.number) AS refunded
    FROM orders WHERE customer = :customer AND number = coalesce(:number, number)
    ORDER BY number DESC
""")
_LOCK = text("SELECT FROM orders WHERE number = :number FOR UPDATE")
_LEFT = text("""
    SELECT paid - (
        SELECT coalesce(sum(amount), 0) FROM refunds WHERE number = :number AND key <> :key
    ) FROM orders WHERE customer = :customer AND number = :number
""")
_REFUND = text("""
    INSERT INTO refunds (key, number, amount) VALUES (:key, :number, :amount)
    ON CONFLICT (key) DO UPDATE SET attempts = refunds.attempts + 1
""")


class Orders:
    """The orders of one customer, in one transaction."""

    def __init__(self, connection: AsyncConnection, customer: Customer) -> None:
        self._connection, self._customer = connection, customer.id
        self._lock = asyncio.Lock()  # tools that are called together take turns

    async def find(self, number: int | None = None) -> list[Order]:
        """Find the order of a number, or all, the newest first."""
        asked = {"customer": self._customer, "number": number}
        async with self._lock:
            found = await self._connection.execute(_FIND, asked)
        return [Order(**row) for row in found.mappings()]

    async def refund(self, number: int, amount: Decimal, *, key: str) -> bool:
        """Record a refund and commit it, once for each key however often it is called.

        Returns:
            False if the order is not the customer's, or less than the amount is left of it.
        """
        order = {"number": number, "key": key}
        async with self._lock:
            await self._connection.execute(_LOCK, {"number": number})
            left = await self._connection.scalar(_LEFT, {**order, "customer": self._customer})
            if left is None or not 0 < amount <= left:
                return False
            await self._connection.execute(_REFUND, {**order, "amount": amount})
            await self._connection.commit()
        return True


@service(scope="run")
async def open_orders(engine: AsyncEngine, customer: Customer) -> AsyncIterator[Orders]:
    """Open a transaction, which is committed if the run has an answer and else rolled back."""
    async with engine.connect() as connection:
        yield Orders(connection, customer)
        await connection.commit()


@provides(DepsFactory)
class KnownCustomers(DepsFactory):
    """Lets those ask who are customers in the database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def make_deps(self, request: DepsRequest) -> Customer:
        """Find the customer whose key it is."""
        user = request.command.user_id
        async with self._engine.connect() as connection:
            query = text("SELECT name FROM customers WHERE id = :id")
            name = await connection.scalar(query, {"id": user})
        if user is None or name is None:
            raise NotPermittedError("people who are not customers", key=request.caller.name)
        return Customer(user, name)
