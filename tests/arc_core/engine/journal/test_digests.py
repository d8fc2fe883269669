"""Digests of what models are asked."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatRequest,
    Reasoning,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.components.wiring_record import ComponentRecord, WiringRecord
from arc_core.engine.journal.digests import DigestsByStore, RequestDigests, StoreDigests
from arc_core.engine.journal.records import PartKind, RequestParts

KEY = b"k" * 32


@tool
async def find(item: str) -> str:
    """Find an item."""
    return item


@tool
async def look(item: str) -> str:
    """Look at an item."""
    return item


def store(key: bytes = KEY, *components: ComponentRecord) -> StoreDigests:
    """Return the digests of a store."""
    return StoreDigests(key, WiringRecord(lambda: components))


def call(vendors_id: str) -> AssistantMessage:
    """Return what a model says that calls a tool; ids and signatures are made by the vendor."""
    thought = Reasoning("Look first.", signature=f"signed {vendors_id}")
    calls = (ToolCall(vendors_id, "find", '{"item": "cup"}'),)
    return AssistantMessage("", calls, (thought,), vendor_content={"id": vendors_id})


def result(vendors_id: str, text: str = "a cup") -> ToolResultMessage:
    """Return what a tool gave."""
    return ToolResultMessage((ToolResult(vendors_id, "find", text),))


ASKED = ChatRequest(system_prompt="Sell.", messages=(UserMessage("A cup?"),), tools=(find, look))


def name(
    *requests: ChatRequest, key: bytes = KEY, history: int = 0, **options: Any
) -> list[RequestParts]:
    """Return the parts of the requests of a run, one after the other."""
    run = RequestDigests(store(key))
    return [run.name(each, history=history, **options)[0] for each in requests]


def growing(vendors_id: str = "1") -> ChatRequest:
    """Return the request after the first turn."""
    return replace(ASKED, messages=(*ASKED.messages, call(vendors_id), result(vendors_id)))


def test_a_first_request_is_named_whole() -> None:
    """System prompt, tools, history and each message behind it have a digest each."""
    earlier = (UserMessage("Hello."), AssistantMessage("Hello!"))
    [named] = name(replace(ASKED, messages=(*earlier, *ASKED.messages)), history=2)

    kinds = [part.kind for part in named.parts]
    assert kinds == [PartKind.SYSTEM_PROMPT, PartKind.TOOLS, PartKind.HISTORY, PartKind.MESSAGE]
    assert (named.kept, named.beginning) == (0, "")
    assert {len(part.digest) for part in named.parts} == {64}


def test_a_later_request_names_only_what_is_new() -> None:
    """And one digest of all that it begins with."""
    first, second = name(ASKED, growing())

    assert second.kept == len(first.parts)
    assert [part.kind for part in second.parts] == [PartKind.MESSAGE] * 2
    assert len(second.beginning) == 64
    assert second.options == first.options


def test_a_change_in_the_middle_names_everything_behind_it() -> None:
    """As when a compaction has put a line in the place of a result."""
    grown = growing()
    cut = replace(grown, messages=(*grown.messages[:2], result("1", "[put aside]")))

    _, second, third = name(ASKED, grown, cut)

    assert third.kept == second.kept + 1
    assert len(third.parts) == 1


def test_digests_leave_out_ids_and_signatures_of_vendors() -> None:
    """Two runs that say the same have the same digests."""
    assert name(ASKED, growing("1")) == name(ASKED, growing("toolu_2"))


def test_what_is_said_is_part_of_a_digest() -> None:
    """Results, arguments, prompts, descriptions, the order of tools and options."""
    others = [
        replace(ASKED, system_prompt="Buy."),
        replace(ASKED, tools=(look, find)),
        replace(ASKED, tools=(find,)),
        replace(ASKED, messages=(UserMessage("A pot?"),)),
        replace(ASKED, model="other"),
        replace(ASKED, tool_choice="required"),
    ]

    [as_asked] = name(ASKED)

    assert all(name(other) != [as_asked] for other in others)


def test_digests_of_two_stores_cannot_be_compared() -> None:
    """They are made under the secret of each."""
    [here], [there] = name(ASKED), name(ASKED, key=b"o" * 32)

    assert not {part.digest for part in here.parts} & {part.digest for part in there.parts}


def test_a_run_that_goes_on_names_its_next_request_as_the_same_process_would() -> None:
    """What an earlier life has recorded is the request before."""
    grown = growing()
    first, second = name(ASKED, grown)
    resumed = RequestDigests(store())
    resumed.go_on_after(first)

    assert resumed.name(grown, history=0)[0] == second


def test_texts_are_kept_that_stand_in_no_step() -> None:
    """System prompt, tools and options once, and what the engine writes behind the question."""
    run = RequestDigests(store())
    note = replace(growing(), messages=(*growing().messages, UserMessage("Write JSON.")))

    kept = [run.name(each, history=0)[1] for each in (ASKED, growing(), note)]

    texts = [[json.loads(part.text) for part in parts] for parts in kept]
    assert texts[0][0] == "Sell."
    assert [each["name"] for each in texts[0][1]] == ["find", "look"]
    assert texts[0][2]["tool_choice"] == "auto"
    assert texts[1:] == [[], [{"user": "Write JSON."}]]


def test_the_part_of_all_tools_names_each_tool_and_its_package() -> None:
    """The text of each has its description and the schema of its parameters."""
    shop = ComponentRecord(
        place="tools", name="find", type="shop:find", package="shop-tools", members=(find,)
    )

    offer = store(KEY, shop).find_tools((find, look))

    named = json.loads(offer.text)
    assert [each["package"] for each in named] == ["shop-tools", ""]
    assert [each["digest"] for each in named] == [part.digest for part in offer.parts]
    described = json.loads(offer.parts[0].text)
    assert (described["description"], list(described["parameters"]["properties"])) == (
        "Find an item.",
        ["item"],
    )


class _Guard:
    pure = True

    async def check(self, request: object) -> bool:
        """Check."""
        return request != "secret"


class _RenamedGuard:
    pure = True

    async def check(self, question: object) -> bool:
        return question != "secret"  # a comment


class _OtherGuard:
    async def check(self, request: object) -> bool:
        return request != "password"


def describe_guard(guard: object) -> Any:
    """Return what the wiring says of a guard."""
    record = ComponentRecord(
        place="guards", name="g", type="g", settings="GuardSettings {}", members=(guard,)
    )
    [described] = json.loads(store(KEY, record).wiring.text)
    return described


def test_the_wiring_says_of_guards_if_they_are_pure_and_what_their_code_is() -> None:
    """Names of locals, comments and docstrings are left out of the code."""
    guard, renamed, other = map(describe_guard, (_Guard(), _RenamedGuard(), _OtherGuard()))

    assert (guard["pure"], other["pure"]) == (True, False)
    assert guard["code"] == renamed["code"] != other["code"]


def test_settings_stand_in_the_wiring_by_their_digest() -> None:
    """What they say cannot be read there."""
    described = describe_guard(_Guard())

    assert len(described["settings"]) == 64


def test_a_store_without_a_secret_has_no_digests() -> None:
    """Nothing is made for it."""
    assert DigestsByStore(WiringRecord()).find(b"") is None


def encode(sent: list[ChatRequest]) -> Callable[[ChatRequest], bytes]:
    """Return an encoder that notes what it is asked for."""

    def encode_one(request: ChatRequest) -> bytes:
        sent.append(request)
        return repr(request).encode()

    return encode_one


def test_of_the_bytes_that_are_sent_only_what_is_new_is_encoded() -> None:
    """A long run would encode everything again at each turn."""
    sent: list[ChatRequest] = []

    first, second = name(ASKED, growing(), encode=encode(sent))

    assert first.body
    assert second.body != first.body
    assert [len(each.messages) for each in sent] == [1, 2]
    assert [len(each.tools) for each in sent] == [2, 0]


def test_ids_that_vendors_make_change_no_bytes() -> None:
    """Nor do signatures, the content that only the vendor reads, and keys of caches."""
    keyed = replace(growing("2"), cache_key="session")

    [one], [other] = (name(each, encode=encode([])) for each in (growing("1"), keyed))

    assert one.body == other.body


def test_another_encoding_has_another_digest() -> None:
    """Of the same request, as by another version of the model's package."""
    [one] = name(ASKED, encode=lambda _: b"one")
    [other] = name(ASKED, encode=lambda _: b"other")
    [untold] = name(ASKED)

    assert one.parts == other.parts
    assert one.body != other.body
    assert untold.body == ""
