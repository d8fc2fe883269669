"""The callers of requests, by the keys that these show."""

import asyncio

from starlette.requests import HTTPConnection

from arc_autoconfig.application import Application
from arc_autoconfig.settings.known_keys import KnownKeys
from arc_core.interfaces.serving.api_keys import ApiKeys
from arc_core.log import get_logger
from arc_core.runs.callers import Caller
from arc_core.serving.problems import Problem, get_problem

logger = get_logger("server")

_BEARER = "bearer "


def has_keys(application: Application) -> bool:
    """Return whether callers of an application need a key."""
    settings = application.settings.server
    return bool(
        settings.api_keys or settings.api_keys_file is not None or application.provides(ApiKeys)
    )


class KeyCheck:
    """Finds the caller of a request, by the keys of the settings, of the file, and by `ApiKeys`.

    Args:
        application: Started.

    Raises:
        ConfigurationError: The file of the keys cannot be used.
    """

    def __init__(self, application: Application) -> None:
        self._known = KnownKeys(application.settings.server)
        self._own = application.component(ApiKeys)
        self._timeout_s = application.settings.concurrency.component_timeout_s

    async def find_caller(self, connection: HTTPConnection) -> Caller | None:
        """Return who calls; None without a key, or with a wrong one.

        Raises:
            Problem: What knows the keys is away.
        """
        sent = connection.headers.get("authorization", "")
        if sent[: len(_BEARER)].lower() != _BEARER:
            return None
        key = sent[len(_BEARER) :].strip()
        found = self._known.find(key)
        return found if found is not None or self._own is None else await self._ask(self._own, key)

    async def _ask(self, keys: ApiKeys, key: str) -> Caller | None:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await keys.find(key)
        except OSError as error:  # a time-out is one, too
            logger.error(  # noqa: TRY400 -- the text may show an address with a password
                "the component that knows the keys is away",
                component=type(keys).__qualname__,
                error_type=type(error).__name__,
            )
            problem: Problem = get_problem(error)
            raise problem from None
