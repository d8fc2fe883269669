"""Every vendor and host on loopback, each of which refuses what the real one would refuse.

It checks paths, keys, signatures and bodies, and that what comes back is what it has signed itself.
"""

import json
import re
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import Any

from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import ValidationError

from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from tests.arc_plugins.models.gemini.test_encode import check as check_contents
from tests.arc_plugins.models.openai.responses import answers
from tests.wire.hosts import AWS_SECRET, frames_of
from tests.wire.scripts import content, content_events, message_blocks
from tests.wire.test_attachments import check

Part = dict[str, Any]
OK = "ok"
_WHOLE, _STREAMED = ResponseCreateParamsNonStreaming, ResponseCreateParamsStreaming
_SIGNED = b64encode(b"signed by : ").decode()  # so long that what follows is encoded apart
_SIGNATURE = re.compile(re.escape(_SIGNED) + r"([\w+/]+=*)")
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\w+)/\d{8}/([\w-]+)/([\w-]+)/aws4_request, "
    r"SignedHeaders=([\w;-]+), Signature=(\w+)"
)


class FakeVendor(ABC):
    """One of them.

    Args:
        name: In the signatures, and in `llm.models`.
        family: The vendor; of one family are those whose signatures it can read.
        settings: In `llm.models`, beside the address.
        is_authorized: Whether the headers of a request have what authenticates it.
        prefix: Of the paths, behind the address.

    Attributes:
        server: Who answers.
        problems: What was wrong with requests.
    """

    def __init__(
        self,
        name: str,
        *,
        family: str,
        settings: dict[str, Any],
        is_authorized: Callable[[ReceivedRequest], bool],
        prefix: str = "",
    ) -> None:
        self.name, self.family, self.settings = name, family, settings
        self.server, self.problems = VendorServer(), list[str]()
        self._is_authorized, self._prefix = is_authorized, prefix

    @property
    def signature(self) -> str:
        """By which it knows its own blocks again."""
        return _SIGNED + b64encode(self.name.encode()).decode()

    def reply(self, good: Reply, *, streaming: bool) -> Callable[[ReceivedRequest], Reply]:
        """A reply to the next request, if that is as it has to be."""

        def answer(request: ReceivedRequest) -> Reply:
            problem = self._find_problem(request, streaming=streaming)
            if problem == OK:
                return good
            self.problems.append(f"{self.name}: {problem}")
            return Reply.json({"error": {"message": problem}}, status=400)

        return answer

    def call(self, city: str, *, streaming: bool) -> Reply:
        """A turn that thinks, signed, and asks for the weather of a city."""
        return self._write(self._call_parts(city), streaming=streaming, calls=True)

    def say(self, text: str, *, streaming: bool) -> Reply:
        """A turn that thinks, signed, and answers."""
        return self._write(self._text_parts(text), streaming=streaming, calls=False)

    @abstractmethod
    def fail(self) -> Reply:
        """It is down, in its own words."""

    @abstractmethod
    def path(self, *, streaming: bool) -> str:
        """Where it is asked, behind the prefix."""

    @abstractmethod
    def list_steps(self, body: Any) -> Iterator[tuple[str, str]]:
        """The calls and results in a body: which of both, and the id."""

    @abstractmethod
    def _call_parts(self, city: str) -> list[Part]: ...

    @abstractmethod
    def _text_parts(self, text: str) -> list[Part]: ...

    @abstractmethod
    def _write(self, parts: list[Part], *, streaming: bool, calls: bool) -> Reply: ...

    @abstractmethod
    def _check_types(self, body: Any, *, streaming: bool) -> None: ...

    def _find_problem(self, request: ReceivedRequest, *, streaming: bool) -> str:
        body = request.json()
        if request.path != self._prefix + self.path(streaming=streaming):
            return f"the path is {request.path}"
        if not self._is_authorized(request):
            return f"it is not authorized by {sorted(request.headers)}"
        try:
            self._check_types(body, streaming=streaming)
        except (ValidationError, AssertionError) as error:
            return f"the body is not what the vendor takes: {error}"
        steps = list(self.list_steps(body))
        if [each for kind, each in steps if kind == "call"] != [
            each for kind, each in steps if kind == "result"
        ]:
            return f"calls and results do not belong together: {steps}"
        return OK


def signers_in(request: ReceivedRequest) -> set[str]:
    """The names of the vendors whose signatures are in a request."""
    return {b64decode(each).decode() for each in _SIGNATURE.findall(request.body.decode())}


class FakeOpenAI(FakeVendor):
    """Speaks Responses; knows its own encrypted reasoning alone."""

    def reply(self, good: Reply, *, streaming: bool) -> Callable[[ReceivedRequest], Reply]:
        """A refusal of what another organization has encrypted, which Azure is."""
        answer = super().reply(good, streaming=streaming)

        def answer_own(request: ReceivedRequest) -> Reply:
            if signers_in(request) <= {self.name}:
                return answer(request)
            self.server.add(answer_own)
            facts = {"code": "invalid_encrypted_content", "message": "It cannot be verified."}
            return Reply.json({"error": facts}, status=400)

        return answer_own

    def fail(self) -> Reply:
        """As at too much load."""
        facts = {"code": "server_error", "type": "server_error", "message": "The server failed."}
        return Reply.json({"error": facts}, status=503)

    def path(self, *, streaming: bool) -> str:
        """The same for both."""
        del streaming
        return "/responses"

    def list_steps(self, body: Any) -> Iterator[tuple[str, str]]:
        """Those of items."""
        for item in body["input"]:
            if item.get("type") in {"function_call", "function_call_output"}:
                is_call = item["type"] == "function_call"
                yield "call" if is_call else "result", item["call_id"]

    def _call_parts(self, city: str) -> list[Part]:
        call = {**answers.CALL, "id": f"fc_{city}", "call_id": f"call_{city}"}
        return [self._thought(city), {**call, "arguments": json.dumps({"city": city})}]

    def _text_parts(self, text: str) -> list[Part]:
        return [self._thought(text), answers.message(text)]

    def _thought(self, about: str) -> Part:
        return {**answers.REASONING, "id": f"rs_{about}", "encrypted_content": self.signature}

    def _write(self, parts: list[Part], *, streaming: bool, calls: bool) -> Reply:
        del calls
        if not streaming:
            return Reply.json(answers.response(*parts))
        events = [
            event
            for index, each in enumerate(parts)
            for event in (answers.added(index, each), answers.done(index, each))
        ]
        return Reply.events(answers.stream_of(*events, answers.completed(*parts)))

    def _check_types(self, body: Any, *, streaming: bool) -> None:
        check(
            ResponseCreateParamsStreaming if streaming else ResponseCreateParamsNonStreaming, body
        )


class FakeAnthropic(FakeVendor):
    """Speaks Messages, itself or at a host.

    Args:
        paths: Of a whole answer and of a stream.
        is_framed: Whether it streams in Amazon's frames.
    """

    def __init__(
        self, name: str, *, paths: tuple[str, str], is_framed: bool = False, **more: Any
    ) -> None:
        super().__init__(name, family="anthropic", **more)
        self._paths, self._is_framed = paths, is_framed

    def fail(self) -> Reply:
        """As Anthropic says that it is overloaded, and Amazon that it throttles."""
        if self._is_framed:
            headers = {"x-amzn-errortype": "ThrottlingException"}
            return Reply.json({"message": "Too many requests."}, status=429, headers=headers)
        facts = {"type": "overloaded_error", "message": "Overloaded"}
        return Reply.json({"type": "error", "error": facts}, status=529)

    def path(self, *, streaming: bool) -> str:
        """That of the host."""
        return self._paths[streaming]

    def list_steps(self, body: Any) -> Iterator[tuple[str, str]]:
        """Those of blocks."""
        for block in (block for message in body["messages"] for block in message["content"]):
            if block["type"] == "tool_use":
                yield "call", block["id"]
            elif block["type"] == "tool_result":
                yield "result", block["tool_use_id"]

    def _call_parts(self, city: str) -> list[Part]:
        use = {"type": "tool_use", "id": f"toolu_{city}", "name": "get_weather"}
        return [self._thought(), {**use, "input": {"city": city}}]

    def _text_parts(self, text: str) -> list[Part]:
        return [self._thought(), {"type": "text", "text": text}]

    def _thought(self) -> Part:
        return {"type": "thinking", "thinking": "Warm, I guess.", "signature": self.signature}

    def _write(self, parts: list[Part], *, streaming: bool, calls: bool) -> Reply:
        reason = "tool_use" if calls else "end_turn"
        if not streaming:
            counts = {"input_tokens": 7, "output_tokens": 5}
            message = {"content": parts, "stop_reason": reason, "usage": counts}
            return Reply.json({"type": "message", **message})
        worded = [{**each, "words": [each["text"]]} if "text" in each else each for each in parts]
        events = message_blocks(*worded, reason=reason)
        return frames_of(events) if self._is_framed else Reply.events(events)

    def _check_types(self, body: Any, *, streaming: bool) -> None:
        whole = {"model": "named in the path", "stream": streaming, **body}
        check(MessageCreateParamsStreaming if streaming else MessageCreateParamsNonStreaming, whole)
        roles = [each["role"] for each in body["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]


class FakeGemini(FakeVendor):
    """Speaks generateContent, itself or at a host."""

    def fail(self) -> Reply:
        """As at too much load."""
        facts = {"code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded."}
        return Reply.json({"error": facts}, status=503)

    def path(self, *, streaming: bool) -> str:
        """That of a method of the model."""
        method = "streamGenerateContent?alt=sse" if streaming else "generateContent"
        return f"/models/m:{method}"

    def list_steps(self, body: Any) -> Iterator[tuple[str, str]]:
        """Those of parts."""
        for part in (part for turn in body["contents"] for part in turn["parts"]):
            for name, kind in (("functionCall", "call"), ("functionResponse", "result")):
                if name in part:
                    yield kind, part[name]["id"]

    def _call_parts(self, city: str) -> list[Part]:
        call = {"name": "get_weather", "args": {"city": city}, "id": f"g_{city}"}
        return [self._thought(), {"functionCall": call, "thoughtSignature": self.signature}]

    def _text_parts(self, text: str) -> list[Part]:
        return [self._thought(), {"text": text, "thoughtSignature": self.signature}]

    def _thought(self) -> Part:
        return {"text": "Warm, I guess.", "thought": True}

    def _write(self, parts: list[Part], *, streaming: bool, calls: bool) -> Reply:
        del calls
        if not streaming:
            return Reply.json(content(*parts, finishReason="STOP"))
        chunks = [content(each) for each in parts]
        return Reply.events(content_events(*chunks, content(finishReason="STOP")))

    def _check_types(self, body: Any, *, streaming: bool) -> None:
        del streaming
        check_contents(body)
        calls = [p for turn in body["contents"] for p in turn["parts"] if "functionCall" in p]
        assert all(each.get("thoughtSignature") for each in calls)  # Gemini 3 refuses it without


def has_header(name: str, value: str) -> Callable[[ReceivedRequest], bool]:
    """See that a request has a key or a token."""
    return lambda request: request.headers.get(name) == value


def is_signed_by_botocore(request: ReceivedRequest) -> bool:
    """Compare the signature with the one that botocore makes of the request as it came."""
    found = _AUTHORIZATION.fullmatch(request.headers["authorization"])
    assert found is not None
    key, region, service, names, signature = found.groups()
    headers = {name: request.headers[name] for name in names.split(";")}
    url = f"http://{request.headers['host']}{request.path}"
    again = AWSRequest("POST", url, headers=headers, data=request.body)
    again.context["timestamp"] = request.headers["x-amz-date"]
    token = request.headers["x-amz-security-token"]
    signer = SigV4Auth(Credentials(key, AWS_SECRET, token), service, region)
    text = signer.string_to_sign(again, signer.canonical_request(again))
    is_for_it = (region, service) == ("us-east-1", "bedrock")
    return is_for_it and bool(signer.signature(text, again) == signature)
