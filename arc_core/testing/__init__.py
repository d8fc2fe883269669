"""For tests of agents and plugins: a scripted chat model, fakes, conformance suites."""

from arc_core.evaluation.evaluation import evaluate
from arc_core.testing.fakes import (
    CharacterEstimator,
    CodeMessageResolver,
    DictResponseCache,
    EveryToolSelector,
    FixedRetriever,
    FixedRunScope,
    FixedRunScopes,
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
)
from arc_core.testing.scripted_agent import scripted_agent
from arc_core.testing.scripted_model import BrokenOff, ScriptedChatModel, ScriptExhaustedError

__all__ = [
    "BrokenOff",
    "CharacterEstimator",
    "CodeMessageResolver",
    "DictResponseCache",
    "EveryToolSelector",
    "FixedRetriever",
    "FixedRunScope",
    "FixedRunScopes",
    "ListConversationManager",
    "RecordingHook",
    "RecordingMetrics",
    "ScriptExhaustedError",
    "ScriptedChatModel",
    "evaluate",
    "scripted_agent",
]
