"""Failures in English: the default of `messages.language`."""

from collections.abc import Mapping

from arc_core import AgentErrorCode, ErrorMessageResolver

_SENTENCES: Mapping[AgentErrorCode, str] = {
    AgentErrorCode.RATE_LIMITED: "Too many requests right now. Please try again in a moment.",
    AgentErrorCode.TIMEOUT: "The answer took too long. Please try again, or ask for less at once.",
    AgentErrorCode.CONTEXT_TOO_LONG: (
        "The conversation is too long for the model. Please shorten it or start a new one."
    ),
    AgentErrorCode.TOOL_ERROR: "A tool that the answer needs has failed. Please try again later.",
    AgentErrorCode.GUARD_REJECTED: "The request was not accepted. Please phrase it differently.",
    AgentErrorCode.HOOK_REJECTED: "The request was stopped by a policy of this application.",
    AgentErrorCode.INVALID_RESPONSE: "The model gave no usable answer. Please try again.",
    AgentErrorCode.REFUSED: "The model declined to answer. Please phrase the request differently.",
    AgentErrorCode.AUTHENTICATION: (
        "The model's service does not accept this application's credentials. "
        "Please tell its operator to check the API key."
    ),
    AgentErrorCode.UNAVAILABLE: "The service cannot be reached. Please try again later.",
    AgentErrorCode.OVERLOADED: "There is too much to do right now. Please try again in a moment.",
    AgentErrorCode.INVALID_INPUT: "The request has something in it that cannot be taken.",
    AgentErrorCode.LIMIT_REACHED: "The request has reached a limit of this application.",
    AgentErrorCode.OUTPUT_REJECTED: "The answer was held back by a policy of this application.",
    AgentErrorCode.CANCELLED: "The request was cancelled.",
    AgentErrorCode.UNKNOWN: "Something went wrong. Please try again later.",
}


class EnglishErrorMessageResolver(ErrorMessageResolver):
    """One English sentence or two per code, without internals."""

    def resolve(self, code: AgentErrorCode) -> str:
        """Return the text for the person who asked."""
        return _SENTENCES[code]
