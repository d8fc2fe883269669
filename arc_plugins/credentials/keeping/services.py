"""The services at which people log in: those of the settings, and those that sources know.

What is kept of the latter beside the credentials: the issuer of each, so that another one is not
taken for it, and the client that this application was registered as.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import SecretStr

from arc_core import Credential, CredentialError, Service, ServiceSource
from arc_core.text.address_rules import is_loopback
from arc_core.text.addresses import origin_of_address
from arc_plugins.credentials.keeping.records import (
    APPLICATION,
    CredentialPlace,
    CredentialRecord,
    CredentialStore,
)
from arc_plugins.credentials.keeping.token_endpoint import (
    ANSWER_WITHIN_S,
    ServiceClients,
    TokenEndpoint,
    is_token,
)
from arc_plugins.credentials.settings import ServiceSettings

CLAIM_S = 3 * ANSWER_WITHIN_S
_LOOK_S = 0.1


class Services:
    """Finds a service by its name, with the client that this application is there.

    People are sent back to the redirect; services that cannot read a document have no address of
    one.
    """

    def __init__(
        self,
        store: CredentialStore,
        services: Mapping[str, ServiceSettings],
        *,
        sources: Sequence[ServiceSource],
        redirect_url: str,
        document_url: str | None,
        clock: Callable[[], float],
    ) -> None:
        self._store, self._sources, self._clock = store, sources, clock
        self._redirect_url, self._document_url = redirect_url, document_url
        self._clients = ServiceClients()
        self._known = {
            name: _make_service(name, each) for name, each in services.items() if each.token is None
        }
        self._static = services.keys() - self._known.keys()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._clients.aclose()

    def has_login(self, name: str) -> bool:
        """Return whether people may log in at it; of one that is not in the settings, true."""
        return name not in self._static

    async def find(self, name: str, *, anew: bool = False) -> TokenEndpoint | None:
        """Return where the tokens of a service are had; None if nothing knows it.

        `anew` has sources look again, as what they know may have changed.

        Raises:
            CredentialError: It is known, and people cannot log in there.
        """
        service = self._known.get(name)
        if service is None:
            service = await self._ask_sources(name, anew=anew)
            if service is None:
                return None
            await self._check_issuer(name, service)
            service = await self._with_client(name, service)
        return TokenEndpoint(name, service, redirect_url=self._redirect_url, clients=self._clients)

    async def forget_client(self, service: Service) -> None:
        """Forget a client that the service does not know any more; the next login has another."""
        place = self._client_place(service)
        record = await self._store.read(place)
        if record is not None and service.client_id == _read_client(record)["client_id"]:
            await self._store.replace(place, None, seen=record.version)

    async def _ask_sources(self, name: str, *, anew: bool) -> Service | None:
        for source in self._sources:
            service = await source.find_service(name, anew=anew)
            if service is not None:
                return service
        return None

    async def _check_issuer(self, name: str, service: Service) -> None:
        """Note the issuer of a service, once; refuse another one, unless the settings name it."""
        issuer = service.issuer or service.token_url
        place = CredentialPlace(APPLICATION, f"issuer {name}")
        fresh = CredentialRecord(credential=Credential(token=SecretStr(issuer)))
        if await self._store.create(place, fresh):
            return
        kept = await self._store.read(place)
        before = "" if kept is None else kept.credential.token.get_secret_value()
        if before == issuer:
            return
        if not service.is_confirmed:
            was, now = origin_of_address(before), origin_of_address(issuer)
            raise CredentialError(
                f"people were sent to {was} to log in, and its server names {now} now, which may "
                f"be an attack; if its operator says that it is right, set {service.setting}.issuer"
                " to the new one",
                service=name,
            )
        await self._store.write(place, fresh)

    async def _with_client(self, name: str, service: Service) -> Service:
        if service.client_id is not None:
            return service
        if service.takes_documents and self._document_url is not None:
            return replace(service, client_id=self._document_url)
        if service.registration_url is None:
            raise CredentialError(
                "it registers no applications by itself; register this one there, with the "
                f"redirect {self._redirect_url}, and set {service.setting}.client_id",
                service=name,
            )
        client = _read_client(await self._find_client(name, service))
        secret = client["client_secret"]
        return replace(
            service,
            client_id=client["client_id"],
            client_secret=None if secret is None else SecretStr(secret),
            client_auth=client["client_auth"],
        )

    def _client_place(self, service: Service) -> CredentialPlace:
        key = json.dumps((service.issuer, service.registration_url, self._redirect_url))
        return CredentialPlace(APPLICATION, f"client {key}")

    async def _find_client(self, name: str, service: Service) -> CredentialRecord:
        """Return the client at a service, registered by one process for all."""
        place = self._client_place(service)
        while True:
            await self._store.create(place, _UNREGISTERED)
            record = await self._store.read(place)
            if record is None:
                continue
            if record.credential != _UNREGISTERED.credential and not self._has_ended(record):
                return record
            now, seen = self._clock(), record.version
            if await self._store.claim(place, seen=seen, now=now, until=now + CLAIM_S):
                try:
                    registered = await self._register(name, service)
                except BaseException:
                    await self._store.release(place, seen=seen)
                    raise
                await self._store.replace(place, registered, seen=seen)
            else:
                await asyncio.sleep(_LOOK_S)

    def _has_ended(self, record: CredentialRecord) -> bool:
        ends = _read_client(record)["ends"]
        return bool(ends) and ends <= self._clock()

    async def _register(self, name: str, service: Service) -> CredentialRecord:
        assert service.registration_url is not None
        redirect_url = self._redirect_url
        is_local = is_loopback(redirect_url.split("/")[2].rpartition(":")[0])
        auth = service.client_auth
        wanted = {
            "client_name": "Arc",
            "redirect_uris": [redirect_url],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": auth if auth == "none" else f"client_secret_{auth}",
            "application_type": "native" if is_local else "web",
            **({"scope": " ".join(service.scopes)} if service.scopes else {}),
        }
        reply = await self._clients.post(
            name,
            service,
            service.registration_url,
            body=json.dumps(wanted),
            headers={"content-type": "application/json"},
        )
        client = _client_in(reply.answer) if reply.is_success else None
        if client is None:
            raise CredentialError(
                f"it does not register this application (status {reply.status}); register it there "
                f"by hand, with the redirect {redirect_url}, and set {service.setting}.client_id",
                service=name,
            )
        return CredentialRecord(credential=Credential(token=SecretStr(json.dumps(client))))


_UNREGISTERED = CredentialRecord(credential=Credential(token=SecretStr("{}")))


def _client_in(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """The client in the answer to a registration; None if it cannot be used."""
    client_id, secret = answer.get("client_id"), answer.get("client_secret")
    method = answer.get("token_endpoint_auth_method") or (
        "none" if secret is None else "client_secret_basic"
    )
    ends = answer.get("client_secret_expires_at")
    if not is_token(client_id) or not (secret is None or is_token(secret)):
        return None
    auth = str(method).removeprefix("client_secret_")
    if auth not in {"none", "post", "basic"} or (auth != "none" and secret is None):
        return None
    is_number = isinstance(ends, int | float) and not isinstance(ends, bool)
    return {
        "client_id": client_id,
        "client_secret": None if method == "none" else secret,
        "client_auth": auth,
        "ends": ends if is_number and secret is not None else 0,
    }


def _read_client(record: CredentialRecord) -> dict[str, Any]:
    client: dict[str, Any] = json.loads(record.credential.token.get_secret_value())
    return client or {"client_id": None, "client_secret": None, "client_auth": "basic", "ends": 0}


def _make_service(name: str, settings: ServiceSettings) -> Service:
    assert settings.authorize_url is not None
    assert settings.token_url is not None
    return Service(
        authorize_url=settings.authorize_url,
        token_url=settings.token_url,
        setting=f"services.{name}",
        client_id=settings.client_id,
        client_secret=settings.client_secret,
        client_auth=settings.client_auth,
        scopes=settings.scopes,
        issuer=settings.issuer,
        promises_issuer=settings.issuer is not None,
    )
