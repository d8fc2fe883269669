"""The messages of one run: its text and its reasoning."""

import json

from arc_core import ReasoningDelta, TextDelta

write_json = json.JSONEncoder(separators=(",", ":")).encode


def make_fields(**fields: object) -> dict[str, object]:
    """Return the fields of an object of the protocol; one that is None is left out."""
    return {name: value for name, value in fields.items() if value is not None}


def write_frame(kind: str, **fields: object) -> str:
    """Return the frame of an event, in ASCII: models write halves of surrogate pairs, too."""
    return f"data: {write_json(make_fields(type=kind, **fields))}\n\n"


class MessageWriter:
    """The messages of one run."""

    def __init__(self, prefix: str, *, tag: str | None = None) -> None:
        self._prefix, self.tag = prefix, tag
        self.has_spoken = False
        self.message_ids: list[str] = []
        self._saying: type | None = None
        self._message_id = ""
        self._before, self._behind = "", ""
        self._of_calls: str | None = None
        self._is_calling = False
        self._of_turn: list[str] = []

    def say(self, piece: TextDelta | ReasoningDelta) -> str:
        """The frame of a piece, after those that open its message."""
        if self._saying is type(piece):
            return f"{self._before}{write_json(piece.text)}{self._behind}"
        said = self.pause() + self._open(type(piece))
        return f"{said}{self._before}{write_json(piece.text)}{self._behind}"

    def say_all(self, text: str) -> str:
        """A whole message."""
        return self.say(TextDelta(text)) + self.pause()

    def pause(self) -> str:
        """Close the message that is open, if one is."""
        saying, self._saying = self._saying, None
        if saying is None:
            return ""
        if saying is TextDelta:
            return self.frame("TEXT_MESSAGE_END", messageId=self._message_id)
        end_of_message = self.frame("REASONING_MESSAGE_END", messageId=self._message_id)
        return end_of_message + self.frame("REASONING_END", messageId=self._message_id)

    def frame(self, kind: str, **fields: object) -> str:
        """The frame of an event of this run."""
        return write_frame(kind, **fields, subagentRunId=self.tag)

    def message_of_calls(self) -> str:
        """The message to which the calls of this turn belong."""
        self._is_calling = True
        if self._of_calls is None:
            self._of_calls = self.make_id()
        return self._of_calls

    def note_call(self) -> None:
        """A call goes on that was told before."""
        self._is_calling = True

    def drop_turn(self) -> list[str]:
        """The messages of the turn so far, which do not count."""
        dropped, self._of_turn = self._of_turn, []
        self._of_calls, self._is_calling = None, False
        return dropped

    def _open(self, kind: type) -> str:
        if self._is_calling:  # the model speaks again: the calls of its last turn have ended
            self.drop_turn()
        self._saying, self._message_id = kind, self.make_id()
        tag = "" if self.tag is None else f',"subagentRunId":{write_json(self.tag)}'
        self._behind = f"{tag}}}\n\n"
        start = f'"messageId":{write_json(self._message_id)},"delta":'
        if kind is TextDelta:
            self.has_spoken, self._of_calls = True, self._message_id
            self._before = f'data: {{"type":"TEXT_MESSAGE_CONTENT",{start}'
            return self.frame("TEXT_MESSAGE_START", messageId=self._message_id, role="assistant")
        self._before = f'data: {{"type":"REASONING_MESSAGE_CONTENT",{start}'
        span, role = self.frame("REASONING_START", messageId=self._message_id), "reasoning"
        return span + self.frame("REASONING_MESSAGE_START", messageId=self._message_id, role=role)

    def make_id(self) -> str:
        """The id of a further message."""
        message_id = f"{self._prefix}{len(self.message_ids) + 1}"
        self.message_ids.append(message_id)
        self._of_turn.append(message_id)
        return message_id
