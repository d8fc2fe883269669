"""Settings of durable runs."""

from typing import Annotated

from pydantic import Field, SecretStr, field_validator

from arc_core.settings import ListSection, NeedsTrust, Section
from arc_core.text.addresses import check_database_address

DEFAULT_QUEUE = "default"

_DATABASE = check_database_address("sqlite", "postgres", "postgresql", "postgresql+psycopg")
_RESERVED = "_dbos_"
"""Versions before have these queues in the same database."""


class QueueSettings(Section):
    """The runs of one queue that go on at once, over all workers."""

    max_running: int | None = Field(default=None, ge=1, description="none is unlimited")
    per_tenant: int | None = Field(default=None, ge=1, description="of one tenant")


class ScheduleSettings(Section):
    """A run that begins by the clock."""

    cron: str = Field(description="as 0 7 * * 1-5; six fields begin with seconds; in UTC")
    prompt: str
    agent: str | None = Field(default=None, description="none is the default agent")
    queue: str | None = Field(default=None, description="none is the default queue")


class SchedulesSettings(ListSection[ScheduleSettings]):
    """Runs that begin by the clock, if runs are kept in a database: `[[schedules]]`."""

    root: Annotated[
        tuple[ScheduleSettings, ...], NeedsTrust("runs begin by themselves, with its prompts")
    ] = ()


class DurableSettings(Section):
    """Runs that outlive their process."""

    enabled: bool = Field(default=False, description="keep runs in a database")
    url: Annotated[
        SecretStr | None, NeedsTrust("what runs say is read and written there"), _DATABASE
    ] = Field(
        default=None, description="the database; none is a file of SQLite beside the conversations"
    )
    queues: dict[str, QueueSettings] = Field(
        default_factory=dict, description="by name; there always is one called default"
    )
    max_running: int = Field(
        default=20, ge=1, description="of one queue in one process at once; the same in all workers"
    )
    lease_s: float = Field(
        default=5,
        gt=0,
        description="after its own connection was lost, a worker takes over no runs",
    )
    keep_days: float = Field(
        default=30, gt=0, le=100_000, description="then a finished run is removed"
    )
    handover_timeout_s: float = Field(
        default=10, ge=0, description="how long a closing process lets steps end"
    )
    work: bool | None = Field(
        default=None, description="take submitted runs; none: with SQLite, not with PostgreSQL"
    )

    @field_validator("queues")
    @classmethod
    def _can_be_named(cls, value: dict[str, QueueSettings]) -> dict[str, QueueSettings]:
        for name in value:
            if not name.strip() or not name.isprintable() or name.startswith(_RESERVED):
                raise ValueError(f"{name!r} cannot be the name of a queue: choose another one")
        return value
