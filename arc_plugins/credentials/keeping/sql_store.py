"""Keeps credentials in a database, encrypted: several processes may read and renew at once.

It needs the extras `sql` and `credentials`; the schema comes with `arc db upgrade`.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import SecretStr
from sqlalchemy import (
    Delete,
    Table,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from arc_core import (
    ConfigurationError,
    Credential,
    CredentialError,
    KeptCredential,
    Login,
    Owner,
    SchemaUpgrade,
)
from arc_core.stores.sql import SqlAddress
from arc_plugins.credentials.keeping.encryption import Sealer, WrongKeyError
from arc_plugins.credentials.keeping.records import (
    APPLICATION,
    BegunLogin,
    CredentialPlace,
    CredentialRecord,
    CredentialStore,
    join_scopes,
    kept_credential,
)
from arc_plugins.credentials.keeping.shared_reads import SharedReads
from arc_plugins.credentials.keeping.tables import SCHEMA, begun_logins, credentials, logins

_VERSION_BITS = 62
_ROWS_AT_ONCE = 500
_Key = tuple[str, str, str]
_KEY = (credentials.c.place, credentials.c.owner, credentials.c.service)
_READ = select(*_KEY, credentials.c.sealed, credentials.c.version).where(
    tuple_(*_KEY).in_(bindparam("keys", expanding=True))
)
_INSERTS: Mapping[str, Callable[[Table], postgresql.Insert | sqlite.Insert]] = {
    "postgresql": postgresql.insert,
    "sqlite": sqlite.insert,
}
_WRONG_KEY = (
    "it is encrypted with another key, or was changed in the database; put the key with which it "
    "was encrypted into the list credentials.key, or remove it by `arc credentials remove`"
)


class SqlCredentialStore(CredentialStore):
    """Rows that are found by owner and service, whose secrets only the keys open."""

    def __init__(self, address: SqlAddress, sealer: Sealer) -> None:
        self._address, self._sealer = address, sealer
        self._engine: AsyncEngine | None = None
        self._reads = SharedReads(self._read_rows)

    async def start(self) -> None:
        """Open the database, and see that the keys are those of its rows.

        Raises:
            ConfigurationError: They are not, the database cannot be used, or its schema is old.
        """
        self._engine = await SCHEMA.open_engine(self._address)
        try:
            await self.count()
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Close the connections."""
        await self._reads.aclose()
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.dispose()

    async def count(self) -> int:
        """Return how many credentials there are.

        Raises:
            ConfigurationError: One of them is encrypted with a key that is not there.
        """
        columns = credentials.c
        others = select(func.count()).where(columns.key_id.not_in(self._sealer.key_ids))
        all_of_people = select(func.count()).where(columns.owner != _owner_text(APPLICATION))
        async with self._open.connect() as connection:
            unknown = await connection.scalar(others) or 0
            total = await connection.scalar(all_of_people) or 0
        if unknown:
            raise ConfigurationError(
                f"credentials.key does not have the key of {unknown} credentials in the database",
                evidence=[self._address.place],
                remedy="put the key with which they were encrypted at the end of the list "
                "credentials.key; if it is lost, forget them by "
                "`arc credentials remove --unreadable`",
            )
        return total

    async def upgrade_schema(self) -> SchemaUpgrade:
        """Create the schema or bring it up to date."""
        return await SCHEMA.upgrade(self._address)

    async def read(self, place: CredentialPlace) -> CredentialRecord | None:
        """Return a record, opened, by a statement that is shared with those who ask as well."""
        row = await self._reads.read(_key_of(place))
        return None if row is None else self._record_in(row, place)

    async def _read_rows(self, keys: Collection[_Key]) -> Mapping[_Key, Any]:
        asked, found = tuple(keys), {}
        async with self._open.connect() as connection:
            await connection.execution_options(isolation_level="AUTOCOMMIT")  # two trips less
            for first in range(0, len(asked), _ROWS_AT_ONCE):
                part = {"keys": asked[first : first + _ROWS_AT_ONCE]}
                rows = await connection.execute(_READ, part)
                found.update({tuple(row[:3]): row for row in rows})
        return found

    async def write(self, place: CredentialPlace, record: CredentialRecord) -> None:
        """Keep a record."""
        values = self._row_of(place, record)
        statement = _INSERTS[self._open.dialect.name](credentials).values(values)
        changed = {name: value for name, value in values.items() if name != "place"}
        async with self._open.begin() as connection:
            await connection.execute(
                statement.on_conflict_do_update(index_elements=["place"], set_=changed)
            )

    async def create(self, place: CredentialPlace, record: CredentialRecord) -> bool:
        """Keep a record if there is none."""
        statement = _INSERTS[self._open.dialect.name](credentials)
        statement = statement.values(self._row_of(place, record)).on_conflict_do_nothing()
        return await self._change(statement) == 1

    async def replace(
        self, place: CredentialPlace, record: CredentialRecord | None, *, seen: int
    ) -> bool:
        """Keep a record, or none, in the place of one of this version."""
        is_seen = (*_is_at(place), credentials.c.version == seen)
        change: Any = delete(credentials).where(*is_seen)
        if record is not None:
            change = update(credentials).where(*is_seen).values(self._row_of(place, record))
        return await self._change(change) == 1

    async def remove(self, owner: Owner, service: str | None) -> int:
        """Forget the records of an owner."""
        return await self._change(_removal(service, *_is_of(owner)))

    async def remove_unopened(self, owner: Owner | None, service: str | None) -> int:
        """Forget the same by a connection of its own, since the store does not open without keys.

        Raises:
            ConfigurationError: The database cannot be used, or its schema is old.
        """
        is_unknown = credentials.c.key_id.not_in(self._sealer.key_ids)
        gone = _removal(service, *([is_unknown] if owner is None else _is_of(owner)))
        engine = await SCHEMA.open_engine(self._address)
        try:
            async with engine.begin() as connection:
                return await _count_changed(connection, gone)
        finally:
            await engine.dispose()

    async def claim(self, place: CredentialPlace, *, seen: int, now: float, until: float) -> bool:
        """Claim what has this version, unless another claim lasts."""
        is_free = (credentials.c.version == seen, credentials.c.claimed_until <= now)
        claimed = update(credentials).where(*_is_at(place), *is_free)
        return await self._change(claimed.values(claimed_until=until)) == 1

    async def release(self, place: CredentialPlace, *, seen: int) -> None:
        """End a claim."""
        claimed = update(credentials).where(*_is_at(place), credentials.c.version == seen)
        await self._change(claimed.values(claimed_until=0.0))

    async def open_login(self, login: Login) -> str:
        """The id of the login that is open, or of a new one; of two at once, the first counts.

        One whose key is lost gives way to a new one, which ends the runs that wait for it as well.
        """
        place, login_id = CredentialPlace(login.owner, login.service), secrets.token_urlsafe(32)
        values = {
            "place": place.hash,
            "id_hash": _hash(login_id),
            **_login_columns(login),
            "key_id": self._sealer.key_id,
            "sealed": self._sealer.seal(login_id.encode(), about=b"login" + place.text),
        }
        statement = _INSERTS[self._open.dialect.name](logins).values(values)
        async with self._open.begin() as connection:
            await connection.execute(statement.on_conflict_do_nothing())
            is_at = logins.c.place == place.hash
            found = select(logins.c.sealed, logins.c.scopes).where(is_at).with_for_update()
            row = (await connection.execute(found)).one_or_none()
            if row is None:
                return login_id
            before = tuple(json.loads(row.scopes))
            changed: dict[str, object] = {}
            if (scopes := join_scopes(before, login.scopes)) != before:
                changed["scopes"] = json.dumps(scopes)
            try:
                login_id = self._sealer.open(row.sealed, about=b"login" + place.text).decode()
            except WrongKeyError:
                changed |= {name: values[name] for name in ("id_hash", "key_id", "sealed")}
            if changed:
                await connection.execute(update(logins).where(is_at).values(changed))
        return login_id

    async def find_login(self, login_id: str) -> Login | None:
        """Return the login of an id."""
        found = select(logins.c.owner, logins.c.service, logins.c.scopes)
        async with self._open.connect() as connection:
            rows = await connection.execute(found.where(logins.c.id_hash == _hash(login_id)))
            row = rows.one_or_none()
        return None if row is None else _login_in(row)

    async def close_login(
        self, place: CredentialPlace, *, scopes: Sequence[str] | None = None
    ) -> None:
        """Forget the login of a place that has a credential, and what was begun of it."""
        has_credential = exists().where(credentials.c.place == logins.c.place)
        over = delete(logins).where(logins.c.place == place.hash, has_credential)
        if scopes is not None:
            over = over.where(logins.c.scopes == json.dumps(scopes))
        async with self._open.begin() as connection:
            if await _count_changed(connection, over):
                await connection.execute(_all_begun(place))

    async def forget_begun(self, place: CredentialPlace) -> None:
        """Forget what was begun of the login of a place."""
        await self._change(_all_begun(place))

    async def keep_begun(self, begun: BegunLogin, *, now: float) -> None:
        """Keep it by hashes of its state and of its browser."""
        about = b"begun" + begun.state.encode()
        values = {
            "state_hash": _hash(begun.state),
            "browser_hash": _hash(begun.browser),
            **_login_columns(begun.login),
            "sealed": self._sealer.seal(f"{begun.verifier}\n{begun.issuer}".encode(), about=about),
            "expires_at": begun.expires_at,
        }
        async with self._open.begin() as connection:
            await connection.execute(delete(begun_logins).where(begun_logins.c.expires_at <= now))
            await connection.execute(insert(begun_logins).values(values))

    async def find_begun(self, state: str, *, browser: str, now: float) -> BegunLogin | None:
        """Return what this browser has begun."""
        columns = begun_logins.c
        found = select(
            columns.owner, columns.service, columns.scopes, columns.sealed, columns.expires_at
        ).where(
            columns.state_hash == _hash(state),
            columns.browser_hash == _hash(browser),
            columns.expires_at > now,
        )
        async with self._open.connect() as connection:
            row = (await connection.execute(found)).one_or_none()
        if row is None:
            return None
        try:
            opened = self._sealer.open(row.sealed, about=b"begun" + state.encode())
        except WrongKeyError:  # it is over then, and begun anew by its link
            return None
        verifier, _, issuer = opened.decode().partition("\n")
        return BegunLogin(
            state=state,
            browser=browser,
            login=_login_in(row),
            verifier=verifier,
            expires_at=row.expires_at,
            issuer=issuer,
        )

    async def take_begun(self, state: str) -> bool:
        """Forget it."""
        taken = delete(begun_logins).where(begun_logins.c.state_hash == _hash(state))
        return await self._change(taken) == 1

    async def list_kept(self) -> Sequence[KeptCredential]:
        """All credentials without their secrets."""
        columns = credentials.c
        rows = select(columns.owner, columns.service, columns.sealed, columns.version)
        rows = rows.where(columns.owner != _owner_text(APPLICATION))
        async with self._open.connect() as connection:
            found = (await connection.execute(rows)).all()
        places = [(_place_in(row.owner, row.service), row) for row in found]
        return [kept_credential(at, self._record_in(row, at).credential) for at, row in places]

    async def rotate(self) -> int:
        """Encrypt with the first key, row by row, unless it has changed meanwhile.

        Logins whose key is lost stay: a new one takes their place when it is asked for.
        """
        await self._rotate(logins, b"login")
        return await self._rotate(credentials, b"")

    async def _rotate(self, table: Any, prefix: bytes) -> int:
        count, columns = 0, table.c
        others = select(columns.place, columns.owner, columns.service, columns.sealed)
        known = [each for each in self._sealer.key_ids if each != self._sealer.key_id]
        others = others.where(columns.key_id.in_(known))
        async with self._open.connect() as connection:
            rows = (await connection.execute(others)).all()
        for row in rows:
            place = _place_in(row.owner, row.service)
            value = self._open_value(row.sealed, place, prefix)
            sealed = self._sealer.seal(value, about=prefix + place.text)
            is_same = (columns.place == row.place, columns.sealed == row.sealed)
            change = update(table).where(*is_same)
            change = change.values(sealed=sealed, key_id=self._sealer.key_id)
            count += await self._change(change)
        return count

    async def _change(self, statement: Any) -> int:
        async with self._open.begin() as connection:
            return await _count_changed(connection, statement)

    def _row_of(self, place: CredentialPlace, record: CredentialRecord) -> dict[str, object]:
        owner = _owner_text(place.owner)
        return {
            "place": place.hash,
            "owner_hash": _hash(owner),
            "owner": owner,
            "service": json.dumps(place.service),
            "key_id": self._sealer.key_id,
            "sealed": self._sealer.seal(_encode(record), about=place.text),
            "version": secrets.randbits(_VERSION_BITS),
            "claimed_until": 0.0,
        }

    def _record_in(self, row: Any, place: CredentialPlace) -> CredentialRecord:
        return _decode(self._open_value(row.sealed, place, b""), version=row.version)

    def _open_value(self, sealed: bytes, place: CredentialPlace, prefix: bytes) -> bytes:
        try:
            return self._sealer.open(sealed, about=prefix + place.text)
        except WrongKeyError:
            raise CredentialError(_WRONG_KEY, service=place.service) from None

    @property
    def _open(self) -> AsyncEngine:
        if self._engine is None:
            raise RuntimeError("the credentials are not started: await start() first")
        return self._engine


async def _count_changed(connection: AsyncConnection, statement: Any) -> int:
    count: int = (await connection.execute(statement)).rowcount
    return count


def _all_begun(place: CredentialPlace) -> Delete:
    columns, owner = begun_logins.c, _owner_text(place.owner)
    is_at = (columns.owner == owner, columns.service == json.dumps(place.service))
    return delete(begun_logins).where(*is_at)


def _is_of(owner: Owner) -> tuple[Any, ...]:
    text = _owner_text(owner)
    return credentials.c.owner_hash == _hash(text), credentials.c.owner == text


def _removal(service: str | None, *which: Any) -> Delete:
    gone = delete(credentials).where(*which)
    return gone if service is None else gone.where(credentials.c.service == json.dumps(service))


def _key_of(place: CredentialPlace) -> _Key:
    return place.hash, _owner_text(place.owner), json.dumps(place.service)


def _is_at(place: CredentialPlace) -> tuple[Any, ...]:
    pairs = zip(_KEY, _key_of(place), strict=True)
    return tuple(column == value for column, value in pairs)


def _owner_text(owner: Owner) -> str:
    return json.dumps((owner.tenant_id, owner.user_id))


def _place_in(owner: str, service: str) -> CredentialPlace:
    tenant_id, user_id = json.loads(owner)
    return CredentialPlace(Owner(user_id=user_id, tenant_id=tenant_id), json.loads(service))


def _login_columns(login: Login) -> dict[str, str]:
    return {
        "owner": _owner_text(login.owner),
        "service": json.dumps(login.service),
        "scopes": json.dumps(login.scopes),
    }


def _login_in(row: Any) -> Login:
    place = _place_in(row.owner, row.service)
    scopes = tuple(json.loads(row.scopes))
    return Login(owner=place.owner, service=place.service, scopes=scopes)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _encode(record: CredentialRecord) -> bytes:
    credential = record.credential
    ends, refresh = credential.expires_at, credential.refresh_token
    return json.dumps({
        "token": credential.token.get_secret_value(),
        "expires_at": None if ends is None else ends.isoformat(),
        "refresh_token": None if refresh is None else refresh.get_secret_value(),
        "scopes": credential.scopes,
        "is_replacement": record.is_replacement,
        "issuer": record.issuer,
        "asked": record.asked,
    }).encode()  # fmt: skip


def _decode(value: bytes, *, version: int) -> CredentialRecord:
    fields: dict[str, Any] = json.loads(value)  # not by pydantic, whose errors quote the token
    ends, refresh = fields["expires_at"], fields["refresh_token"]
    credential = Credential(
        token=SecretStr(fields["token"]),
        expires_at=None if ends is None else datetime.fromisoformat(ends),
        refresh_token=None if refresh is None else SecretStr(refresh),
        scopes=tuple(fields["scopes"]),
    )
    return CredentialRecord(
        credential=credential,
        version=version,
        is_replacement=fields["is_replacement"],
        issuer=fields.get("issuer", ""),
        asked=tuple(fields.get("asked", ())),
    )
