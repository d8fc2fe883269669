"""Cases: what an agent is asked in an evaluation, and what is expected of its answer."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from arc_core.command import AgentCommand
from arc_core.error_base import AgentErrorCode
from arc_core.messages import AssistantMessage, Message, SystemMessage, UserMessage

DEFAULT_REQUIRED = 0.9
"""The pass rate that is required unless a case says another; no interval ever reaches 1."""

_MESSAGES = {"user": UserMessage, "assistant": AssistantMessage, "system": SystemMessage}


def _to_list(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_to_list)]
"""One text, or several."""

Rate = Annotated[float, Field(gt=0, lt=1)]


class _Part(BaseModel):
    """A table of a case."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ExpectedTools(_Part):
    """The tools that a run has to call.

    Attributes:
        called: Each of them, in any order.
        in_order: These one after another; others may be called between them.
        never: The model must not ask for any of them, whether the call is let through or not.
    """

    called: Texts = ()
    in_order: Texts = ()
    never: Texts = ()


class ExpectedScore(_Part):
    """The least that a scorer has to give.

    Attributes:
        name: Of the scorer.
        at_least: From 0 to 1.
    """

    name: str
    at_least: float = Field(ge=0, le=1)


class Expected(_Part):
    """Everything that is expected of a run; what is left out is not checked.

    Attributes:
        result: `success`, `waiting` for a run that waits for a person, or an error code.
        contains: Texts that the answer has, capitals and all.
        equals: The answer, but for blanks around it.
        matches: Regular expressions of RE2, each of which is found in the answer.
        output: Fields of the structured answer; those that are not named may have any value.
        tools: The tools that are called.
        max_cost: At most that is spent, at the prices of the models.
        max_turns: At most so many answers of the model, those with tool calls included.
        scorers: Scorers, and what they have to give.
    """

    result: Literal["success", "waiting"] | AgentErrorCode = "success"
    contains: Texts = ()
    equals: str | None = None
    matches: Texts = ()
    output: dict[str, Any] | None = None
    tools: ExpectedTools = ExpectedTools()
    max_cost: Decimal | None = Field(default=None, gt=0)
    max_turns: int | None = Field(default=None, ge=1)
    scorers: tuple[ExpectedScore, ...] = ()


class CaseMessage(_Part):
    """A message of a conversation."""

    role: Literal["user", "assistant", "system"]
    content: str


class Case(_Part):
    """One question to an agent, and what is expected of the run.

    Attributes:
        name: Of the case, in reports.
        prompt: The question.
        messages: A conversation in the place of `prompt`; the last message is the question.
        agent: Who is asked; None is the agent of the settings.
        deps: The name of the `CaseDeps` that makes the deps of each trial; None is none.
        expect: Of each run.
        required: The share of trials that must pass.
    """

    name: str = Field(min_length=1)
    prompt: str | None = None
    messages: tuple[CaseMessage, ...] = ()
    agent: str | None = None
    deps: str | None = None
    expect: Expected = Expected()
    required: Rate = DEFAULT_REQUIRED

    @model_validator(mode="after")
    def _has_a_question(self) -> "Case":
        if (self.prompt is None) == (not self.messages):
            raise ValueError("write either prompt or messages")
        if self.messages and self.messages[-1].role != "user":
            raise ValueError("the last of the messages is the question, and so of the role user")
        return self

    @property
    def command(self) -> AgentCommand:
        """The command of a trial."""
        if self.prompt is not None:
            return AgentCommand(user_prompt=self.prompt, agent=self.agent)
        *history, question = self.messages
        earlier: list[Message] = [_MESSAGES[each.role](each.content) for each in history]
        return AgentCommand(
            user_prompt=question.content, conversation_history=tuple(earlier), agent=self.agent
        )
