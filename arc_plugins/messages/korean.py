"""Failures in Korean: `messages.language = "ko"`."""

from collections.abc import Mapping

from arc_core import AgentErrorCode, ErrorMessageResolver

_SENTENCES: Mapping[AgentErrorCode, str] = {
    AgentErrorCode.RATE_LIMITED: "지금은 요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.",
    AgentErrorCode.TIMEOUT: "응답 시간이 초과되었습니다. 다시 시도하시거나 질문을 나누어 주세요.",
    AgentErrorCode.CONTEXT_TOO_LONG: (
        "대화가 모델이 처리할 수 있는 길이를 넘었습니다. 내용을 줄이거나 새 대화를 시작해 주세요."
    ),
    AgentErrorCode.TOOL_ERROR: "답변에 필요한 도구가 실패했습니다. 나중에 다시 시도해 주세요.",
    AgentErrorCode.GUARD_REJECTED: "요청이 허용되지 않았습니다. 다른 표현으로 다시 입력해 주세요.",
    AgentErrorCode.HOOK_REJECTED: "이 애플리케이션의 정책에 따라 요청이 중단되었습니다.",
    AgentErrorCode.INVALID_RESPONSE: "모델이 올바른 답변을 내놓지 못했습니다. 다시 시도해 주세요.",
    AgentErrorCode.REFUSED: "모델이 답변을 거절했습니다. 다른 표현으로 다시 요청해 주세요.",
    AgentErrorCode.AUTHENTICATION: (
        "모델 서비스가 이 애플리케이션의 인증 정보를 받아들이지 않습니다. "
        "운영자에게 API 키 확인을 요청해 주세요."
    ),
    AgentErrorCode.UNAVAILABLE: "서비스에 연결할 수 없습니다. 나중에 다시 시도해 주세요.",
    AgentErrorCode.OVERLOADED: "지금은 처리할 요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.",
    AgentErrorCode.INVALID_INPUT: "요청에 처리할 수 없는 내용이 포함되어 있습니다.",
    AgentErrorCode.LIMIT_REACHED: "요청이 이 애플리케이션의 한도에 도달했습니다.",
    AgentErrorCode.OUTPUT_REJECTED: "이 애플리케이션의 정책에 따라 답변이 제공되지 않았습니다.",
    AgentErrorCode.CANCELLED: "요청이 취소되었습니다.",
    AgentErrorCode.UNKNOWN: "문제가 발생했습니다. 나중에 다시 시도해 주세요.",
}


class KoreanErrorMessageResolver(ErrorMessageResolver):
    """One Korean sentence or two per code, without internals."""

    def resolve(self, code: AgentErrorCode) -> str:
        """Return the text for the person who asked."""
        return _SENTENCES[code]
