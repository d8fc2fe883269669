"""People copy, edit and ask anew, begin with an example, and search what they have asked."""

from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent
from arc_core.testing import ScriptedChatModel
from tests.browser.offers import ORDER, application
from tests.serving import serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

_PERMITTED = {"permissions": ["clipboard-read", "clipboard-write"]}
_CLIPBOARD = "navigator.clipboard.readText()"


def texts_of(model: Any, request: int) -> list[str]:
    """The texts of what a model was asked."""
    return [str(each.content) for each in model.requests[request].messages]


async def test_answers_questions_and_code_can_be_copied(visiting: Any) -> None:
    """As they were written; if pages have no clipboard, by the older way."""
    app, _ = application(ORDER)
    async with serving_app(app.asgi()) as address, visiting(address, **_PERMITTED) as visit:
        await visit.ask("Where is it?")
        answer, copied = await visit.answers(), []
        for place, name in (
            (answer, "Copy the answer"),
            (visit.page.locator(".question"), "Copy the question"),
            (answer, "Copy this"),
        ):
            await place.get_by_role("button", name=name).click()
            await visit.page.get_by_role("status").get_by_text("Copied").wait_for(state="attached")
            copied.append(await visit.page.evaluate(_CLIPBOARD))
            await visit.page.evaluate("document.getElementById('status').textContent = ''")
        await visit.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: null})")
        await answer.get_by_role("button", name="Copy the answer").click()
        await visit.page.get_by_role("status").get_by_text("Copied").wait_for(state="attached")

        assert copied == [ORDER, "Where is it?", "total = 2 * 9.00 + 7.50"]
        assert visit.complaints == []


async def test_a_question_is_edited_in_a_conversation_of_its_own(visiting: Any) -> None:
    """What was said before goes along, what came after does not, and the first one stays."""
    app, model = application("One.", "Two.", "Other two.", "Two again.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        for number, text in enumerate(("first", "second"), 1):
            await visit.ask(text)
            await visit.answers(number)
        await visit.page.get_by_role("button", name="Edit the question").last.click()
        await visit.page.get_by_label("The question", exact=True).fill("second, but better")
        await visit.page.get_by_role("button", name="Ask", exact=True).click()
        await visit.page.get_by_text("Other two.", exact=True).wait_for()
        edited = await visit.page.locator(".log").inner_text()
        await visit.page.get_by_role("button", name="Answer again").last.click()
        await visit.page.get_by_text("Two again.", exact=True).wait_for()
        await visit.page.locator(".conversation-list li").nth(2).wait_for()

        assert "One." in edited
        assert "Two." not in edited
        assert visit.complaints == []
    assert texts_of(model, 3)[-3:] == ["first", "One.", "second, but better"]


async def test_a_failure_has_the_run_and_is_asked_again_in_its_place(visiting: Any) -> None:
    """Its id is that of the server, and nothing of it stays in the conversation."""
    app, model = application("One.", RuntimeError("inside"), "Two.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("first")
        await visit.answers()
        await visit.ask("second")
        failure = (await visit.answers(2)).locator(".failure")
        run_id = await failure.locator("bdi").inner_text()
        state = (await visit.page.request.get(f"{address}/api/runs/{run_id}")).status
        before = visit.page.url
        await visit.page.get_by_role("button", name="Answer again").last.click()
        await visit.page.get_by_text("Two.", exact=True).wait_for()

        assert (state, await failure.count(), visit.page.url) == (200, 0, before)
        assert await visit.page.locator(".question").count() == 2
        assert visit.complaints == []
    assert texts_of(model, 2)[-3:] == ["first", "One.", "second"]


async def test_the_empty_page_says_what_an_agent_is_for(visiting: Any) -> None:
    """With questions to begin with, that one click asks."""
    examples = ["Where is my order?", "<b>How</b> do I return a mug?"]
    shop = Agent("default", description="Answers customers of the tea shop.", examples=examples)
    app = Application(ArcSettings(_isolated=True), register=[shop], plugins=False)
    app.container.chat_model.override(ScriptedChatModel(["So."]))
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        welcome = visit.page.locator(".welcome")
        await welcome.get_by_text("Answers customers of the tea shop.").wait_for()
        offered = await welcome.locator(".example").all_inner_texts()
        await welcome.get_by_role("button", name=examples[1]).click()
        await visit.answers()

        assert offered == examples
        assert await visit.page.locator(".said").all_inner_texts() == [examples[1]]
        assert visit.complaints == []


async def test_conversations_are_searched(visiting: Any) -> None:
    """All words count, in any order and case; none found is said."""
    app, _ = application("a", "b")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        for number, text in enumerate(("Where is my blue mug?", "안녕 tea")):
            if number:
                await visit.page.get_by_role("link", name="New conversation").click()
            await visit.ask(text)
            await visit.page.locator(f".conversation-list li:nth-child({number + 1})").wait_for()
        search, found = visit.page.get_by_label("Search in conversations"), {}
        for words, count in (("MUG where", 1), ("mug tea", 0), ("안녕", 1), ("", 2)):
            await search.fill(words)
            only = f":not(:has(li:nth-child({count + 1})))"
            shown = f".conversation-list:has(li:nth-child({count})){only}" if count else f"ul{only}"
            await visit.page.locator(f".conversations {shown}").wait_for(state="attached")
            found[words] = await visit.page.locator(".conversations").inner_text()

        assert "blue mug" in found["MUG where"]
        assert "안녕 tea" in found["안녕"]
        assert "Nothing was found." in found["mug tea"]
        assert visit.complaints == []
