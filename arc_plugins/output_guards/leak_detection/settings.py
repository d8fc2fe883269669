"""Settings of the guards against leaks in what a model says."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from arc_core.settings import NeedsTrust, Section


class LeakMode(StrEnum):
    """The treatment of a leak."""

    OFF = "off"
    MASK = "mask"
    REJECT = "reject"


class OutputSettings(Section):
    """The kinds of leaks that may not leave in what a model says."""

    secrets: LeakMode = Field(default=LeakMode.OFF, description="keys, tokens, passwords")
    pii: LeakMode = Field(
        default=LeakMode.OFF, description="mail, phone, card, IBAN and resident numbers"
    )
    links: LeakMode = Field(
        default=LeakMode.OFF, description="links and images that carry data to foreign hosts"
    )
    allowed_hosts: Annotated[
        tuple[str, ...], NeedsTrust("links in answers may carry data there")
    ] = Field(
        default=(), description="hosts that links may carry data to; `*.example.com` for all below"
    )
