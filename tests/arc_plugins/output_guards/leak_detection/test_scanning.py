"""What leaves of a stream is what would leave of the whole text, however it was split."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_core import AgentCommand, AgentErrorCode, OutputGuard
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.text.cleaning import show
from arc_plugins.output_guards.leak_detection.links import LinkOutputGuard
from arc_plugins.output_guards.leak_detection.personal_data import PiiMaskingOutputGuard
from arc_plugins.output_guards.leak_detection.secrets import SecretLeakOutputGuard
from arc_plugins.output_guards.leak_detection.settings import LeakMode, OutputSettings
from tests.arc_plugins.output_guards.leaks import LINKS, PERSONAL, SECRETS, Leak
from tests.arc_plugins.output_guards.streaming import RejectedError, cut, mask, stream

MASK = OutputSettings(secrets=LeakMode.MASK, pii=LeakMode.MASK, links=LeakMode.MASK)
REJECT = OutputSettings(secrets=LeakMode.REJECT, pii=LeakMode.REJECT, links=LeakMode.REJECT)
Make = Callable[[OutputSettings], OutputGuard]


def secrets(chosen: OutputSettings) -> OutputGuard:
    return SecretLeakOutputGuard(settings=chosen)


def personal(chosen: OutputSettings) -> OutputGuard:
    return PiiMaskingOutputGuard(settings=chosen)


def links(chosen: OutputSettings) -> OutputGuard:
    return LinkOutputGuard(settings=chosen)


KINDS: Mapping[Make, Mapping[str, Callable[[random.Random], Leak]]] = {
    secrets: SECRETS,
    personal: PERSONAL,
    links: LINKS,
}
CASES = [(make, kind) for make, kinds in KINDS.items() for kind in kinds]
BEFORE = ("", "The value is ", "값은 ", "a = [\n", "x\n\n| 1 | ", "(see ", "👩‍👩‍👧 é ")
AFTER = (
    "",
    ".",
    " and more.",
    "\n\nNext paragraph.",
    ") 입니다",
    ' "',
    "를 쓰세요 " + "word " * 40,
)
PARTS = (
    *("sk-", "ghp_", "AKIA", "eyJ", ".", "-----BEGIN ", "RSA PRIVATE KEY-----", "\n", "-----END"),
    *("password=", "token: ", '"', "://", "user:", "@", ":AA", "Bearer ", "Xk9zLq2vPwB7", "a", "_"),
    *(
        "010-",
        "1234-5678",
        "+82 10",
        "4111 1111 1111 1111",
        " ",
        "-",
        "(",
        ")",
        "DE89",
        "90123",
        "1",
    ),
    *(
        "\u200b",
        "\u00ad" * 9,
        "\U000e0041",
        "\\_",
        "\\",
        "&#103;",
        "&#",
        "&lowbar;",
        "\uff47",
        "\uff1a",
    ),
    *(
        "[x]",
        "]:",
        "]",
        "[",
        "`",
        "url(",
        "@import '",
        "<use href=",
        "style=",
        "&quot;",
        "image-set(",
    ),
    *("비밀번호: ", "| password | ", "Cookie: a=", "Basic ", "de89", "\n  ", "\n\n", "$"),
    *("![", "](", "https://", "evil.invalid/", "?q=", "<img src='", ">", "//", "\\", "<", "hello"),
    *("a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", "가", "\u0301", "\U0001f468\u200d", "\ud800", "[secret]"),
)


def surrounded(leak: Leak, source: random.Random) -> str:
    return f"{source.choice(BEFORE)}{leak.text}{source.choice(AFTER)}"


@pytest.mark.parametrize(("make", "kind"), CASES)
async def test_nothing_of_a_leak_leaves(make: Make, kind: str) -> None:
    """Whole or split at random, no generated leak leaves, and both ways are the same."""
    guard, source = make(MASK), random.Random(kind)
    for number in range(40):
        leak = KINDS[make][kind](source)
        text = surrounded(leak, source)

        whole = await mask(guard, text)
        pieces = cut(text, [source.randrange(10_000) for _ in range(source.randrange(60))])

        core = show(leak.core).text
        assert core not in show(whole).text, text
        assert core[-12:] not in show(whole).text, text
        assert await stream(guard, pieces) == whole
        if number < 10:  # one by one is a split, too
            assert await stream(guard, text) == whole


@pytest.mark.parametrize(("make", "kind"), CASES)
async def test_a_leak_is_rejected_before_it_leaves(make: Make, kind: str) -> None:
    """The reason names nothing of it."""
    source = random.Random(kind)
    leak = KINDS[make][kind](source)

    with pytest.raises(RejectedError) as caught:
        await stream(make(REJECT), f"Here it is: {leak.text} and so on.")

    assert leak.core[:12] not in caught.value.left
    assert leak.core[:12] not in caught.value.rejection.reason


@pytest.mark.parametrize("make", KINDS)
@settings(max_examples=400)
@given(
    parts=st.lists(st.sampled_from(PARTS), max_size=40),
    places=st.lists(st.integers(min_value=0, max_value=2_000), max_size=40),
)
async def test_a_split_changes_nothing(make: Make, parts: list[str], places: list[int]) -> None:
    """For all texts and splits, what leaves is the masked text, and masking it again is idle."""
    guard, text = make(MASK), "".join(parts)

    whole = await mask(guard, text)

    assert await stream(guard, cut(text, places)) == whole
    assert await stream(guard, text) == whole
    assert await mask(guard, whole) == whole


HOSTILE = (
    *("a@", "a@b.", "-----BEGIN ", "-----BEGIN " + "PRIVATE KEY-----\n", "![", "(https://"),
    *("<img '", "<img a", "(//a ", "sk-", "token=", "key='", "1 ", "4111 ", "+82 10 1234 567 "),
    *("DE89 ", "://x:", "eyJ.", ":AA", "[(", "ghp_ ", "https://a?%41", "\\\\"),
    *("AKIA", "eyJ", "SG.", "SK", "sk-your-", "Abc: -----BEGIN " + "PRIVATE KEY-----\n"),
    *("![a](", "![](()", "![](https://evil.invalid/", "<img \"//a?b'", "GB33BUKB20201555555555 "),
)
SHORT_CHARS, LONG_CHARS, MOST_TIMES_LONGER = 20_000, 80_000, 12.0


@pytest.mark.timing
@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("unit", HOSTILE)
async def test_time_grows_with_the_length(make: Make, unit: str) -> None:
    """Four times the text takes about four times as long, whatever it repeats."""
    guard = make(MASK)

    async def seconds(chars: int) -> float:
        text, best = unit * (chars // len(unit)), float("inf")
        for _ in range(3):
            began = time.process_time()
            await mask(guard, text)
            best = min(best, time.process_time() - began)
        return best

    short, long = await seconds(SHORT_CHARS), await seconds(LONG_CHARS)

    assert long < MOST_TIMES_LONGER * max(short, 0.0005), (short, long)


LONG = "+1 2345 6789 " * 4_000


async def test_a_long_text_leaves_the_loop_its_turns() -> None:
    """Other runs go on while a guard looks at what takes long."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    others = asyncio.create_task(count())
    await mask(personal(MASK), LONG)
    others.cancel()

    assert turns > 10


async def test_a_timeout_ends_the_look_at_a_long_text() -> None:
    """The guard fails closed, and nothing of the answer leaves."""
    soon = AgentSettings.model_validate({"concurrency": {"component_timeout_s": 0.001}})
    agent = scripted_agent(ScriptedChatModel([LONG]), soon, output_guards=[personal(MASK)])

    result = await agent.execute(AgentCommand(user_prompt="Hello"))

    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert not result.partial_content


@pytest.mark.parametrize("chars", [1, 2, 5, 13])
async def test_an_address_that_outlasts_its_element_does_not_leave(chars: int) -> None:
    """An element is looked at up to a bound; behind it, no address is left that leads anywhere."""
    guard, data = links(MASK), "aB3dE6gH9jK2mN5p" * 8
    before = f"<img src='{'a ' * 950}<b https://evil.invalid/x?d={data[:90]})"
    text = f"{before}https://evil.invalid/?x={'%42%53' * 20}"

    whole = await mask(guard, text)

    assert "https:" not in whole
    assert (
        await stream(guard, [text[at : at + chars] for at in range(0, len(text), chars)]) == whole
    )
