"""The metadata of a call, in `_meta` or in headers of its connection."""

from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arc_core.serving import problem_of_fields

__all__ = ["RUN_ID", "CallMeta"]

RUN_ID = "arc/run_id"
_MAX_ID_CHARS = 200
_HEADERS = {
    "arc/user_id": "x-user-id",
    "arc/session_id": "x-session-id",
    "arc/tenant_id": "x-tenant-id",
}


class CallMeta(BaseModel):
    """The metadata of a call: the user, and the run to read on after a `progress` of it."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    run_id: str | None = Field(
        default=None, alias="arc/run_id", min_length=1, max_length=_MAX_ID_CHARS
    )
    after: int = Field(default=0, alias="arc/after", ge=0)
    user_id: str | None = Field(default=None, alias="arc/user_id", max_length=_MAX_ID_CHARS)
    session_id: str | None = Field(default=None, alias="arc/session_id", max_length=_MAX_ID_CHARS)
    tenant_id: str | None = Field(default=None, alias="arc/tenant_id", max_length=_MAX_ID_CHARS)

    @classmethod
    def of(cls, meta: Mapping[str, Any] | None, headers: Mapping[str, str]) -> "CallMeta":
        """Read the metadata of a call; `_meta` goes before the headers."""
        said = {name: headers[header] for name, header in _HEADERS.items() if header in headers}
        try:
            return cls.model_validate({**said, **(meta or {})})
        except ValidationError as error:
            raise MCPError(INVALID_PARAMS, problem_of_fields(error).message) from None
