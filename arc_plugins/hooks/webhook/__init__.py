"""Tells another service of every run that has ended."""

from typing import Annotated

from pydantic import Field, SecretStr

from arc_core.settings import Harmless, NeedsTrust, SecretAddress, Section

__all__ = ["WebhookSettings"]


class WebhookSettings(Section):
    """The receiver that is told of every run that has ended."""

    url: Annotated[SecretAddress | None, NeedsTrust("every run is reported there")] = Field(
        default=None, description="none is off"
    )
    secret: Annotated[SecretStr | None, Harmless("it is sent only to webhook.url")] = Field(
        default=None, description="signs; none: unsigned"
    )
    timeout_s: float = Field(default=5, gt=0, description="of one attempt, and of the last ones")
