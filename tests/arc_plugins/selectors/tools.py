"""Tools for tests of selectors: a catalogue of two hundred, half of it in Korean."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import Tool, ToolContext

SUBJECTS = (
    "invoice", "customer", "contract", "employee", "holiday", "parking space", "meeting room",
    "printer", "server", "database", "backup", "certificate", "ticket", "repository", "branch",
    "order", "shipment", "warehouse", "supplier", "price list", "campaign", "newsletter", "survey",
    "budget", "expense",
)  # fmt: skip
SUBJECTS_KO = (
    "청구서", "고객", "계약", "직원", "휴가", "주차 공간", "회의실", "프린터", "서버",
    "데이터베이스", "백업", "인증서", "문의", "저장소", "브랜치", "주문", "배송", "창고",
    "공급업체", "가격표", "캠페인", "소식지", "설문", "예산", "경비",
)  # fmt: skip
VERBS = {"find": "찾기", "create": "만들기", "update": "고치기", "delete": "지우기"}


class DescribedTool(Tool):
    """A tool that is never called."""

    timeout_s = None

    def __init__(
        self,
        name: str,
        description: str = "",
        *,
        parameters: Mapping[str, str] | None = None,
        category: str | None = None,
        keywords: Sequence[str] = (),
    ) -> None:
        self.name, self.description = name, description
        self.category, self.keywords = category, keywords
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {
                each: {"type": "string", "description": text}
                for each, text in (parameters or {}).items()
            },
        }

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Never."""
        raise AssertionError

    def __repr__(self) -> str:
        return self.name


WEATHER = DescribedTool("get_weather", "Current weather and forecast of a city.")
WEATHER_KO = DescribedTool("lookup_17", "도시의 현재 날씨와 예보를 알려줍니다.")


def catalogue() -> list[Tool]:
    """Two hundred tools, with one for the weather in English and one in Korean."""
    english = [
        DescribedTool(f"{verb}_{subject.replace(' ', '_')}", f"{verb.title()} a {subject}.")
        for subject in SUBJECTS
        for verb in VERBS
    ]
    korean = [
        DescribedTool(f"action_{row}_{column}", f"{subject} {verb}. 서울 본사에서 씁니다.")
        for row, subject in enumerate(SUBJECTS_KO)
        for column, verb in enumerate(VERBS.values())
    ]
    return [*english[:99], WEATHER, *korean[:99], WEATHER_KO]
