"""Which model a run asks: that of `llm`, or the one of `llm.models` whose name its command has."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from arc_core.command import AgentCommand
from arc_core.interfaces.chat_model import ChatModel
from arc_core.interfaces.optional import NamesModel
from arc_core.settings import DEFAULT_MODEL, LlmSettings, ModelSettings
from arc_core.usage import TokenUsage

__all__ = ["Models", "RunModel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunModel:
    """A chat model, and how it is asked.

    Attributes:
        chat_model: The component.
        llm: Its settings.
        name: In `llm.models`; None for that of `llm` itself.
        named: The component, if it says which vendor and model it asks.
    """

    chat_model: ChatModel
    llm: LlmSettings
    name: str | None
    named: NamesModel | None

    @classmethod
    def of(cls, chat_model: ChatModel, llm: LlmSettings, name: str | None = None) -> "RunModel":
        """A model of an engine."""
        # Asked once: of a protocol, the question takes longer than all else in a call.
        named = chat_model if isinstance(chat_model, NamesModel) else None
        return cls(chat_model=chat_model, llm=llm, name=name, named=named)

    def vendor_model(self, command: AgentCommand) -> str | None:
        """The vendor's name of the model that a run asks for; None is the vendor's default."""
        if self.name is not None or command.model in {None, DEFAULT_MODEL}:
            return self.llm.model
        return command.model

    def cost_of(self, command: AgentCommand, usage: TokenUsage | None) -> Decimal | None:
        """What a call has cost; None if the price is not known, or what the vendor counted."""
        price = self.llm.price
        if price is None or usage is None or self.vendor_model(command) != self.llm.model:
            return None
        return price.of(usage)


class Models:
    """The models of one engine.

    Args:
        default: The model of `llm` itself, which has the name `default`.
        named: The others, by their names.
        llm: The settings of all of them.
    """

    def __init__(
        self, default: ChatModel, named: Mapping[str, ChatModel], *, llm: LlmSettings
    ) -> None:
        self._default = RunModel.of(default, llm)
        self._named = {DEFAULT_MODEL: self._default}
        for name, chat_model in named.items():
            own = llm.overlay(llm.models.get(name, ModelSettings()))
            self._named[name] = RunModel.of(chat_model, own, name)

    def of(self, command: AgentCommand) -> RunModel:
        """The model that a command names, or the default for a vendor's name and for none."""
        name = command.model
        return self._default if name is None else self._named.get(name, self._default)
