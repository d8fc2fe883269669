"""Writes recordings as they may leave their store."""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from arc_core.command import AgentCommand, question_of
from arc_core.components.wiring_record import WiringRecord
from arc_core.engine.journal.digests import StoreDigests
from arc_core.engine.journal.records import EntryStep, ModelStep, PartKind, ToolStep
from arc_core.forms.json_text import dump
from arc_core.messages import Message, ToolResult, ToolResultMessage, UserMessage
from arc_core.messages.content import Attachment
from arc_core.messages.retrieved_context import put_before
from arc_core.recordings.masking import RecordingMasks
from arc_core.recordings.reading import StepKey, read_steps, write_recording
from arc_core.runs.journal import RecordedPart, Recording

_DIGESTS = ("digest", "settings", "code")
"""The keys by which the texts of parts name others."""


def renew_digests(
    recording: Recording, changed: Recording, *, key: bytes, wiring: WiringRecord
) -> Recording:
    """Return a changed recording, which has the digests of the store, with those under another key.

    The settings of `wiring` are those of the run if their digests are.
    """
    store, file = StoreDigests(recording.digest_key, wiring), StoreDigests(key, wiring)
    renewed = dict(zip(store.wiring_digests, file.wiring_digests, strict=True))
    before, after = _list_messages(store, recording), _list_messages(file, changed)
    renewed |= {old.digest: new.digest for old, new in zip(before, after, strict=True)}
    parts = {}
    for digest in sorted(changed.parts, key=lambda each: changed.parts[each][:1] == "["):
        value = json.loads(changed.parts[digest])
        part = file.make_part(_rename(value, renewed) if isinstance(value, list) else value)
        renewed[digest] = part.digest
        parts[part.digest] = part.text
    steps = _RenewedSteps(file, renewed).renew_all(changed.steps)
    return replace(changed, steps=steps, parts=parts, digest_key=key)


def _rename(entries: Iterable[Any], renewed: Mapping[str, str]) -> list[Any]:
    return [
        {key: renewed.get(value, "") if key in _DIGESTS else value for key, value in entry.items()}
        for entry in entries
    ]


def _list_messages(digests: StoreDigests, recording: Recording) -> Iterator[RecordedPart]:
    """Yield the messages whose texts stand in steps, as requests have them."""
    values: dict[tuple[str, str, int], Any] = {}
    for step in read_steps(recording):
        values[step.key.place, step.key.kind, step.key.number] = step.value
    for (place, _, _), value in values.items():
        if isinstance(value, EntryStep):
            attachments = recording.command.attachments if place == "" else ()
            for message in _list_entry(value, attachments):
                yield digests.make_request_part(PartKind.MESSAGE, message)
            yield digests.make_request_part(PartKind.HISTORY, value.history)
        elif isinstance(value, ModelStep):
            yield digests.make_request_part(PartKind.MESSAGE, value.response.message)
    for results in _group_results(values):
        yield digests.make_request_part(PartKind.MESSAGE, ToolResultMessage(results))


def _list_entry(entered: EntryStep, attachments: tuple[Attachment, ...]) -> Iterator[Message]:
    """Yield the question, and in a session also as the next run sends it."""
    given = attachments if entered.attachments is None else entered.attachments
    question = question_of(AgentCommand(user_prompt=entered.prompt, attachments=given))
    yield question
    yield UserMessage(put_before(question.content, entered.beside))


def _group_results(values: Mapping[tuple[str, str, int], Any]) -> Iterator[tuple[ToolResult, ...]]:
    """Yield the results of each turn: calls are numbered through all turns of a run."""
    first = Counter[str]()
    turns = [key for key, value in values.items() if isinstance(value, ModelStep)]
    for place, kind, number in sorted(turns):
        calls = len(values[place, kind, number].response.message.tool_calls)
        found = [values.get((place, "tool", first[place] + each)) for each in range(calls)]
        results = tuple(each.result for each in found if isinstance(each, ToolStep))
        if results and len(results) == calls:
            yield results
            first[place] += calls


class _RenewedSteps:
    """The steps of a recording, in which new digests replace old ones."""

    def __init__(self, file: StoreDigests, renewed: Mapping[str, str]) -> None:
        self._file, self._renewed = file, renewed
        self._parts: dict[str, list[str]] = {}

    def renew_all(self, steps: Mapping[str, str]) -> dict[str, str]:
        """Return all steps in their order."""
        return {name: self._renew(name, text) for name, text in steps.items()}

    def _renew(self, name: str, text: str) -> str:
        record, key = json.loads(text), StepKey.parse(name)
        value = record["value"]
        if "wiring" in value:
            value["wiring"] = self._renewed.get(value["wiring"], "")
        if key is not None and isinstance(request := value.get("request"), dict):
            self._renew_request(request, self._parts.setdefault(key.place, []))
        return dump(record)

    def _renew_request(self, request: dict[str, Any], parts: list[str]) -> None:
        for part in request.get("parts", ()):
            part["digest"] = self._renewed.get(part["digest"], "")
        kept = request.get("kept", 0)
        parts[kept:] = [part["digest"] for part in request.get("parts", ())]
        if "beginning" in request:
            request["beginning"] = self._file.digest_beginning(parts[:kept])
        request.pop("body", None)  # of bytes that nothing has
        if "options" in request:
            request["options"] = self._renewed.get(request["options"], "")


_KEY_BYTES = 32


class RecordingExporter:
    """Writes lines of one file, whose digests are made under one key.

    Args:
        masks: Of what people and secrets are in the texts; None masks nothing.
        wiring: Of the application, for digests of settings that are those of the runs.
    """

    def __init__(self, masks: RecordingMasks | None, *, wiring: WiringRecord) -> None:
        self._masks, self._wiring = masks, wiring
        self._key = secrets.token_bytes(_KEY_BYTES)

    async def export(self, recording: Recording) -> str:
        """Return a recording as a line.

        Raises:
            FormError: A step was edited in its store.
            ConfigurationError: A mask cannot tell what to mask.
        """
        masked = recording if self._masks is None else await self._masks.mask(recording)
        return write_recording(renew_digests(recording, masked, key=self._key, wiring=self._wiring))
