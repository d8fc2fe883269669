"""Declare: the agents that stand in the settings, `[agents.<name>]`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate, Origin, Reference, Source
from arc_autoconfig.errors import SettingsError, describe_cause
from arc_autoconfig.settings import AgentSection, ArcSettings
from arc_core.agents.agent import Agent, Instructions
from arc_core.agents.prompts import prompt_instructions
from arc_core.components.extension_points import get_place
from arc_core.limits import Limits

_MAX_BYTES = 1_048_576


def agents_in_settings(settings: ArcSettings) -> list[Candidate]:
    """A candidate for each; files are read and types are imported when it is built."""
    return [
        Candidate(
            place=get_place(Agent),
            name=name,
            component=_AgentOfSettings(name, section, settings),
            origin=Origin(source=Source.SETTINGS, place=settings.origin_of(f"agents.{name}")),
        )
        for name, section in settings.agents.by_name.items()
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _AgentOfSettings:
    """Makes the agent of one table."""

    name: str
    section: AgentSection
    settings: ArcSettings

    def __call__(self) -> Agent:
        section = self.section
        return Agent(
            self.name,
            description=section.description,
            instructions=self._instructions(),
            model=section.model,
            temperature=section.temperature,
            reasoning=section.reasoning,
            max_output_tokens=section.max_output_tokens,
            tools=section.tools,
            output=self._output(),
            limits=Limits.of(section.limits),
            delegates=section.delegates,
            handoffs=section.handoffs,
            examples=section.examples,
        )

    def _instructions(self) -> Instructions | None:
        if self.section.prompt is not None:
            return prompt_instructions(self.section.prompt)
        file = self.section.instructions_file
        if file is None:
            return self.section.instructions
        key = f"agents.{self.name}.instructions_file"
        path = self.settings.folder_of(key) / file.expanduser()
        with Contained() as attempt:
            return _read(path)
        raise self._unusable_error(key, f"{path} cannot be read", attempt.error)

    def _output(self) -> Any:
        text = self.section.output
        if text is None:
            return None
        key = f"agents.{self.name}.output"
        with Contained() as attempt:
            return Reference.parse(text).load()
        raise self._unusable_error(key, f"{text!r} cannot be imported", attempt.error)

    def _unusable_error(self, key: str, problem: str, error: BaseException | None) -> SettingsError:
        return SettingsError(
            f"{key} ({self.settings.origin_of(key)}): {problem}",
            evidence=[] if error is None else [describe_cause(error)],
            remedy="correct the place: prompts/refunds.md of a file, my_app:Refund of a type",
        )


def _read(path: Path) -> str:
    if not path.is_file():  # to open a named pipe would wait for ever
        raise ValueError("there is no such file")
    with path.open("rb") as file:
        held = file.read(_MAX_BYTES + 1)
    if len(held) > _MAX_BYTES:
        raise ValueError(f"it exceeds {_MAX_BYTES} bytes")
    return held.decode("utf-8-sig").strip()
