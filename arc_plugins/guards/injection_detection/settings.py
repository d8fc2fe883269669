"""Settings of the guards against injections."""

from enum import StrEnum

from pydantic import Field

from arc_core.settings import GuardSettings


class InjectionMode(StrEnum):
    """The treatment of a prompt that looks like an injection."""

    ENFORCE = "enforce"
    MONITOR = "monitor"
    OFF = "off"


class CheckedResults(StrEnum):
    """Of which tools the results are searched for injections."""

    MCP = "mcp"
    ALL = "all"
    OFF = "off"


class InjectionSettings(GuardSettings):
    """The bounds of an injection, and its treatment."""

    injection_mode: InjectionMode = InjectionMode.ENFORCE
    injection_threshold: float = Field(default=0.5, gt=0, le=1)
    check_tool_results: CheckedResults = CheckedResults.MCP
    tool_result_threshold: float = Field(default=0.5, gt=0, le=1)
