"""What fits into the window: rules for all histories and budgets, and the cases behind them."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.context.window import ConversationWindow, Histories
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.testing import CharacterEstimator

EVERYTHING = 1_000_000

Exchange = tuple[AssistantMessage, ToolResultMessage]

texts = st.integers(0, 12).map("x".__mul__)
calls = st.lists(
    st.builds(ToolCall, st.sampled_from("12"), st.just("find"), texts), min_size=1, max_size=3
).map(tuple)


def answered(calls: Sequence[ToolCall]) -> ToolResultMessage:
    """Results for these calls, of as many tokens each as its arguments have."""
    return ToolResultMessage(tuple(ToolResult(c.id, c.name, c.arguments) for c in calls))


exchanges = st.tuples(texts, calls).map(
    lambda drawn: (AssistantMessage(drawn[0], drawn[1]), answered(drawn[1]))
)
mismatches = st.tuples(calls, calls).map(
    lambda drawn: (AssistantMessage("x", drawn[0]), answered(drawn[1]))
)
orphans = st.one_of(
    st.builds(AssistantMessage, texts, calls).map(lambda message: (message,)),
    calls.map(lambda drawn: (answered(drawn),)),
)
plain = st.one_of(
    st.builds(UserMessage, texts),
    st.builds(AssistantMessage, texts),
    st.builds(SystemMessage, texts),
).map(lambda message: (message,))
histories = st.lists(st.one_of(plain, exchanges, mismatches, orphans), max_size=8).map(
    lambda units: [message for unit in units for message in unit]
)
budgets = st.one_of(st.integers(-20, 120), st.just(EVERYTHING))
behinds = st.lists(exchanges, max_size=3)


class CountingEstimator(CharacterEstimator):
    """A token per character, and a count of the texts."""

    def __init__(self) -> None:
        self.asked = 0

    def estimate(self, text: str) -> int:
        self.asked += 1
        return super().estimate(text)


class Chat:
    """A conversation with a question, and what it costs."""

    def __init__(
        self, history: Sequence[Message], behind: Sequence[Exchange] = (), *, in_steps: bool = False
    ) -> None:
        self.estimator = CountingEstimator()
        self.costs = TokenCosts(self.estimator, boundary=Boundary())
        self.question = UserMessage("And now?")
        self.conversation = ConversationWindow(
            Histories(self.costs).read(history), self.question, costs=self.costs, in_steps=in_steps
        )
        self.behind = behind
        for exchange in behind:
            self.conversation.add_exchange(*exchange)

    def seen(self, budget: int = EVERYTHING) -> tuple[Message, ...]:
        """The messages of a view."""
        return self.conversation.view(budget).messages


chats = st.builds(Chat, histories, behinds, in_steps=st.booleans())


def ids(message: Message) -> list[str]:
    """The calls in a message, or the calls it answers."""
    match message:
        case AssistantMessage(tool_calls=made):
            return sorted(call.id for call in made)
        case ToolResultMessage(results):
            return sorted(result.call_id for result in results)
    return []


@pytest.mark.slow
@given(chat=chats, budget=budgets)
def test_the_question_is_always_there(chat: Chat, budget: int) -> None:
    """The current user message is sent as the same object, once, and as the last of its kind."""
    asked = [message for message in chat.seen(budget) if isinstance(message, UserMessage)]

    assert asked[-1] is chat.question
    assert sum(message is chat.question for message in asked) == 1


@pytest.mark.slow
@given(chat=chats, budget=budgets)
def test_calls_and_results_stay_together(chat: Chat, budget: int) -> None:
    """No call is sent without its results right behind it, and no results without their calls."""
    messages = chat.seen(budget)

    for before, after in pairwise((SystemMessage(""), *messages, SystemMessage(""))):
        is_call = isinstance(before, AssistantMessage) and bool(before.tool_calls)
        assert is_call == isinstance(after, ToolResultMessage)
        assert not is_call or ids(before) == ids(after)


@pytest.mark.slow
@given(chat=chats, budget=budgets)
def test_a_view_is_within_its_budget(chat: Chat, budget: int) -> None:
    """What is sent fits, unless nothing but the question is left."""
    messages = chat.seen(budget)

    assert chat.costs.of_messages(messages) <= budget or messages == (chat.question,)


@pytest.mark.slow
@given(chat=chats, views=st.lists(budgets, min_size=1, max_size=3))
def test_a_view_knows_its_tokens(chat: Chat, views: Sequence[int]) -> None:
    """They are those of its messages, whatever the views before it have left out."""
    for budget in views:
        view = chat.conversation.view(budget)

        assert view.tokens == chat.costs.of_messages(view.messages)
        chat.conversation.begin_with(view)


@pytest.mark.slow
@given(chat=chats, budget=budgets)
def test_a_view_loses_nothing_for_a_later_one(chat: Chat, budget: int) -> None:
    """After a small view a larger one is what it would have been without it."""
    before = chat.seen()

    chat.seen(budget)

    assert chat.seen() == before


@pytest.mark.slow
@given(chat=chats, budget=budgets)
def test_history_goes_first_and_the_oldest_of_it(chat: Chat, budget: int) -> None:
    """A view is the end of everything before the question, and the end of everything behind it."""
    everything, view = chat.seen(), chat.conversation.view(budget)

    split, whole_split = view.messages.index(chat.question), everything.index(chat.question)
    before, after = view.messages[:split], view.messages[split + 1 :]

    assert before == everything[whole_split - len(before) : whole_split]
    assert after == everything[len(everything) - len(after) :]
    assert not before or len(after) == 2 * len(chat.behind)
    assert view.dropped == len(everything) - len(view.messages)
    assert view.history == len(before)


@pytest.mark.slow
@given(histories, behinds, st.lists(budgets, max_size=5))
def test_each_message_is_counted_once(
    history: list[Message], behind: list[Exchange], later: list[int]
) -> None:
    """Views cost no counting: a turn pays for what it adds, not for the whole conversation."""
    chat = Chat(history, behind)
    everything = chat.seen()
    counted = chat.estimator.asked

    for budget in later:
        chat.seen(budget)

    assert chat.estimator.asked == counted
    parts = {AssistantMessage: 1, UserMessage: 1, SystemMessage: 1, ToolResultMessage: 0}
    once = {id(message): message for message in everything}.values()
    assert counted == sum(parts[type(message)] + len(ids(message)) for message in once)


def test_an_assistant_keeps_what_it_said_beside_lost_calls() -> None:
    """Of a message whose calls were never answered the text stays, and an empty one goes."""
    lost = (ToolCall("1", "find", "{}"),)

    chat = Chat([AssistantMessage("I shall look.", lost), AssistantMessage("", lost)])

    assert chat.seen() == (AssistantMessage("I shall look."), chat.question)


def test_results_may_come_in_another_order_than_their_calls() -> None:
    """A conversation from elsewhere is complete as long as every call has its result."""
    made = (ToolCall("1", "find", "{}"), ToolCall("2", "find", "{}"))
    exchange = (AssistantMessage("", made), answered(made[::-1]))

    assert Chat(exchange).seen()[:2] == exchange


def test_history_goes_in_whole_turns() -> None:
    """With a question goes its answer, so that what is left begins with a question."""
    first, second = (UserMessage("aaaa"), AssistantMessage("b")), (UserMessage("c"),)
    chat = Chat((*first, *second, AssistantMessage("dd")))

    view = chat.conversation.view(len("And now?") + len("bcdd"))

    assert view.messages == (*second, AssistantMessage("dd"), chat.question)
    assert view.dropped == len(first)


def test_the_question_is_not_shortened() -> None:
    """Without any budget the question alone is sent, whole."""
    chat = Chat([UserMessage("a")], [(AssistantMessage("", ()), ToolResultMessage(()))])

    assert chat.seen(-1) == (chat.question,)


def growing(turns: int, *, budget: int, in_steps: bool) -> list[int]:
    """How many turns, of twenty tokens each, are left out while a session grows to so many."""
    history: list[Message] = []
    dropped = []
    for _ in range(turns):
        history += [UserMessage("x" * 10), AssistantMessage("x" * 10)]
        view = Chat(history, in_steps=in_steps).conversation.view(budget)
        dropped.append(view.dropped // 2)
    return dropped


def test_a_session_is_cut_in_steps() -> None:
    """What is sent begins with the same turn while half the budget is filled again."""
    budget = 100 + len("And now?")

    assert growing(9, budget=budget, in_steps=True) == [0, 0, 0, 0, 0, 3, 3, 6, 6]
    assert growing(9, budget=budget, in_steps=False) == [0, 0, 0, 0, 0, 1, 2, 3, 4]


def test_a_history_without_end_is_not_counted() -> None:
    """What will never fit costs nothing, in steps either."""
    chat = Chat([UserMessage("xx")] * 20_000 + [UserMessage("y")] * 3, in_steps=True)

    assert chat.conversation.view(len("And now?") + 4).history == 3
    assert chat.estimator.asked < 9


@given(st.integers(9, 400))
def test_a_session_keeps_what_it_can(budget: int) -> None:
    """A step that would leave nothing is halved."""
    in_steps = growing(30, budget=budget, in_steps=True)
    exact = growing(30, budget=budget, in_steps=False)

    for turns, (dropped, needed) in enumerate(zip(in_steps, exact, strict=True), 1):
        assert dropped >= needed
        assert (dropped < turns) == (needed < turns)
