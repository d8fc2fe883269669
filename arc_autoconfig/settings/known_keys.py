"""The keys of the settings, and of the file that `server.api_keys_file` names.

The file is looked at with each request, so that a key that is added or taken away counts with the
next one. If it cannot be read any more, the keys that were read last stay.
"""

import hmac
import os
import tomllib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Self

from pydantic import ValidationError, model_validator

from arc_autoconfig.errors import ComponentError
from arc_autoconfig.settings.server_section import ApiKey, ServerSettings, check_keys_differ
from arc_core.errors import ConfigurationError
from arc_core.log import get_logger
from arc_core.runs.callers import Caller
from arc_core.settings import Section

logger = get_logger("server")

_MAX_BYTES = 4_194_304
_SETTING = "server.api_keys_file"


class _KeysFile(Section):
    """The content of the file."""

    api_keys: tuple[ApiKey, ...] = ()

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        check_keys_differ(self.api_keys)
        return self


class KnownKeys:
    """Finds callers by their keys and their names, in the settings and the file they name."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings, self._file = settings, settings.api_keys_file
        self._seen: tuple[int, ...] | None = None
        self._callers: list[tuple[bytes, Caller]] = []
        self._use(())
        if self._file is not None:
            self._seen = _read_state(self._file)
            self._use(_read(self._file))

    def find(self, key: str) -> Caller | None:
        """Return who shows a key; takes as long for a wrong one."""
        self._look()
        digest = sha256(key.encode("latin-1", "replace")).digest()
        found = None
        for known, caller in self._callers:  # all of them, so that the time tells nothing
            if hmac.compare_digest(known, digest):
                found = caller
        return found

    def find_by_name(self, name: str) -> Caller | None:
        """Return the caller whose key has a name."""
        self._look()
        return next((caller for _, caller in self._callers if caller.name == name), None)

    def _look(self) -> None:
        """Read the file again if it is another one."""
        if self._file is None or (state := _read_state(self._file)) == self._seen:
            return
        self._seen = state
        try:
            self._use(_read(self._file))
        except ConfigurationError as error:
            logger.error(  # noqa: TRY400 -- a traceback would say no more
                "the keys were not taken up, and those that were read last stay", problem=str(error)
            )
        else:
            logger.info("the keys were taken up anew", file=str(self._file))

    def _use(self, keys: Iterable[ApiKey]) -> None:
        together = (*self._settings.api_keys, *keys)
        try:
            check_keys_differ(together)
        except ValueError as error:
            raise _make_error(str(error)) from None
        self._callers = [
            (sha256(each.key.get_secret_value().encode()).digest(), each.caller)
            for each in together
        ]


def _read_state(file: Path) -> tuple[int, ...] | None:
    """Return values that change with the file; None if there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _read(file: Path) -> tuple[ApiKey, ...]:
    try:
        with file.open("rb") as opened:
            said = opened.read(_MAX_BYTES + 1)
        if len(said) > _MAX_BYTES:
            raise _make_error(f"{file} is larger than {_MAX_BYTES} bytes")
        return _KeysFile.model_validate(tomllib.loads(said.decode())).api_keys
    except OSError as error:
        raise _make_error(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise _make_error(f"{file}: {_problem_in(error)}") from None
    except (ValueError, RecursionError):
        raise _make_error(f"{file} is not TOML") from None


def _problem_in(error: ValidationError) -> str:
    """The first problem, without what was written there, which may be a key."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def _make_error(problem: str) -> ComponentError:
    return ComponentError(
        f"the keys of {_SETTING} cannot be used",
        evidence=[problem],
        remedy='write TOML tables [[api_keys]] with name = "…" and key = "…", as in the settings',
    )
