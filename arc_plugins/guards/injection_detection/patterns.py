"""What gives an injection away: concepts in a certain order, near to each other.

A pattern is concepts and, between two of them, how many other words may stand there. Its weight is
how likely a prompt with nothing else in it is an injection; patterns near to each other count like
independent pieces of evidence, see `scoring`. Weights and gaps were chosen on the tuning part of
the corpus in `tests/corpora/injection`.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import log

__all__ = ["PATTERNS", "Family", "Pattern"]


class Family(StrEnum):
    """What an injection is after; named in the log, never to the person who asked."""

    OVERRIDE = "override"
    EXTRACTION = "extraction"
    PERSONA = "persona"
    DELIMITER = "delimiter"
    AUTHORITY = "authority"
    EXFILTRATION = "exfiltration"
    COMPLIANCE = "compliance"
    INDIRECT = "indirect"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Concepts in their order.

    Attributes:
        family: What it is after.
        weight: Above 0, below 1.
        concepts: Keys of the language tables.
        gaps: For each concept but the first, how many words may stand between it and the one
            before.
    """

    family: Family
    weight: float
    concepts: tuple[str, ...]
    gaps: tuple[int, ...]

    @property
    def evidence(self) -> float:
        """The weight in a form that is added up: `1 - exp(-evidence)` is the weight again."""
        return -log(1 - self.weight)

    @classmethod
    def parse(cls, family: Family, weight: float, text: str) -> "Pattern":
        """Read `disregard 2 your 3 instructions`."""
        parts = text.split()
        return cls(family, weight, tuple(parts[::2]), tuple(map(int, parts[1::2])))


_SOURCES: dict[Family, dict[str, float]] = {
    Family.OVERRIDE: {
        "above 2 text 5 disregarded": 0.5,
        "above 4 all 5 disregarded": 0.4,
        "ai 0 disregard": 0.15,
        "all 2 above 5 voided": 0.5,
        "all 2 instructions 4 disregarded": 0.6,
        "all 2 orders 4 voided": 0.5,
        "configured 5 disregarded": 0.5,
        "discard 3 all 3 orders": 0.4,
        "discard 3 prior 2 orders": 0.3,
        "discard 3 prior 3 instructions": 0.4,
        "discard 3 your 3 instructions": 0.7,
        "discard 4 instructions 4 given": 0.4,
        "disregard 1 above 3 reveal": 0.5,
        "disregard 12 my_orders": 0.3,
        "disregard 2 limits": 0.2,
        "disregard 2 system_prompt": 0.6,
        "disregard 3 all 2 prior 2 text": 0.3,
        "disregard 3 all 3 given": 0.5,
        "disregard 3 all 3 instructions": 0.4,
        "disregard 3 all 3 orders": 0.6,
        "disregard 3 all 4 above": 0.4,
        "disregard 3 instructions 2 prior": 0.8,
        "disregard 3 instructions 4 maker": 0.6,
        "disregard 3 its 3 instructions": 0.4,
        "disregard 3 maker": 0.3,
        "disregard 3 orders": 0.3,
        "disregard 3 prior 2 text": 0.3,
        "disregard 3 prior 4 instructions": 0.8,
        "disregard 3 safety": 0.25,
        "disregard 3 your 2 limits": 0.6,
        "disregard 3 your 3 instructions": 0.8,
        "disregard 4 configured": 0.5,
        "disregard 4 instructions 4 given": 0.6,
        "disregard 6 voided": 0.2,
        "disregarded 8 my_orders": 0.3,
        "follow 2 me": 0.2,
        "follow 2 new 2 instructions": 0.3,
        "follow 2 your 2 instructions 2 not": 0.6,
        "follow 3 only 2 me": 0.4,
        "follow 3 prior 2 instructions 2 not": 0.6,
        "given 2 instructions 5 disregarded": 0.6,
        "given 6 voided": 0.3,
        "given 8 disregarded": 0.3,
        "instructions 3 all 3 disregarded": 0.2,
        "instructions 3 maker 3 disregarded": 0.6,
        "my_orders": 0.3,
        "new 1 instructions 1 you": 0.5,
        "new 1 system_prompt": 0.3,
        "not 1 your 1 instructions": 0.35,
        "not 2 follow 12 my_orders": 0.3,
        "not 2 follow 3 instructions 2 prior": 0.6,
        "not 2 follow 3 your 3 instructions": 0.7,
        "not 2 follow 4 prior 3 instructions": 0.7,
        "not 2 follow 4 system_prompt": 0.6,
        "not 3 follow 6 configured": 0.5,
        "not 4 follow 3 instructions": 0.3,
        "only 4 follow 2 me": 0.4,
        "orders 2 prior 5 voided": 0.6,
        "orders 3 disregarded": 0.35,
        "prior 2 restrictions 4 disregarded": 0.5,
        "prior 2 restrictions 4 voided": 0.5,
        "prior 4 instructions 5 disregarded": 0.6,
        "prior 4 instructions 5 voided": 0.3,
        "prior 4 orders 9 voided": 0.6,
        "system_prompt 3 disregarded": 0.6,
        "text 2 above 4 voided": 0.4,
        "voided 14 my_orders": 0.2,
        "your 3 instructions 5 disregarded": 0.6,
        "your 3 orders 5 voided": 0.6,
    },
    Family.EXTRACTION: {
        "above 5 text 8 revealed": 0.3,
        "configured 10 reveal": 0.3,
        "configured 3 prompt": 0.3,
        "configured 8 revealed": 0.4,
        "first_message 4 revealed": 0.45,
        "given 3 prompt 5 revealed": 0.5,
        "here 2 above 6 revealed": 0.5,
        "hidden 2 prompt 5 revealed": 0.5,
        "hidden 2 system_prompt": 0.45,
        "hidden 4 your 1 system_prompt": 0.3,
        "opening": 0.3,
        "prompt 3 you 3 given": 0.3,
        "reveal 1 system_prompt": 0.35,
        "reveal 16 your 1 system_prompt": 0.4,
        "reveal 3 all 6 above": 0.3,
        "reveal 3 here 2 above": 0.5,
        "reveal 3 prompt 1 you 3 follow": 0.5,
        "reveal 3 prompt 1 you 3 given": 0.5,
        "reveal 4 hidden 3 prompt": 0.5,
        "reveal 4 prompt 1 hidden": 0.5,
        "reveal 4 text 6 above": 0.2,
        "reveal 5 configured": 0.4,
        "reveal 5 your 3 prompt": 0.5,
        "reveal 6 above 2 here": 0.5,
        "reveal 8 first_message": 0.5,
        "reveal 8 prompt 4 configured": 0.5,
        "reveal 8 text 4 configured": 0.5,
        "system_prompt 1 hidden": 0.45,
        "system_prompt 3 here": 0.2,
        "system_prompt 5 output": 0.35,
        "system_prompt 6 revealed": 0.4,
        "verbatim": 0.2,
        "what 2 hidden 2 prompt": 0.5,
        "what 3 prompt 1 hidden": 0.5,
        "what 3 your 3 prompt": 0.5,
        "what 6 first_message": 0.5,
        "what 6 system_prompt": 0.2,
        "your 1 system_prompt": 0.3,
        "your 4 prompt 6 revealed": 0.5,
    },
    Family.PERSONA: {
        "above 1 safety": 0.35,
        "ai 6 without 2 limits": 0.3,
        "all 2 restrictions 3 disabled": 0.3,
        "become 12 limits 2 without_after": 0.4,
        "become 12 without 3 limits": 0.45,
        "become 3 mode": 0.2,
        "become 3 you 10 without 3 limits": 0.4,
        "become 6 ai 12 without 3 limits": 0.4,
        "become 6 unlimited": 0.6,
        "become 8 limits 3 disabled": 0.6,
        "become 8 wicked 3 ai": 0.6,
        "begin 8 without 3 limits": 0.4,
        "dan": 0.3,
        "dan 10 policies": 0.3,
        "disable 3 all 3 restrictions": 0.3,
        "disable 3 all 3 safety": 0.4,
        "disable 3 safety": 0.2,
        "disable 4 your 3 limits": 0.6,
        "do_anything_now": 0.5,
        "limits 2 without_after 4 become_after": 0.5,
        "limits 2 without_after 5 ai": 0.5,
        "limits 3 disabled": 0.2,
        "limits 3 disabled 4 become_after": 0.3,
        "mode": 0.2,
        "persona_kept": 0.25,
        "restrictions 2 all 3 disabled": 0.3,
        "restrictions 3 voided": 0.25,
        "role_marker 25 without 2 limits": 0.3,
        "safety 3 voided": 0.35,
        "safety 4 disabled": 0.3,
        "unlimited 4 become_after": 0.6,
        "wicked 2 ai": 0.2,
        "wicked 3 ai 6 become_after": 0.6,
        "you 4 limits 2 without_after": 0.4,
        "you 4 without 3 limits": 0.3,
    },
    Family.DELIMITER: {
        "role_marker": 0.35,
        "role_marker 0 system": 0.2,
        "role_marker 40 role_marker": 0.2,
    },
    Family.AUTHORITY: {
        "authority": 0.2,
        "authority 14 permit": 0.25,
        "authority 14 safety": 0.3,
        "disable 3 hidden": 0.2,
        "override_call": 0.35,
    },
    Family.EXFILTRATION: {
        "conversation 8 url": 0.2,
        "know 4 secrets": 0.45,
        "not 2 tell 2 user": 0.4,
        "outside 3 secretly": 0.2,
        "reveal 4 secrets": 0.15,
        "secretly": 0.4,
        "secretly 4 outside": 0.2,
        "secrets 10 url": 0.1,
        "secrets 6 know": 0.45,
        "secrets 6 revealed": 0.18,
        "secrets 8 send": 0.18,
        "send 4 secrets": 0.18,
        "send 6 conversation 6 url": 0.4,
        "send 8 outside": 0.4,
        "send 8 url": 0.1,
        "url 10 conversation": 0.2,
        "user 4 secrets": 0.15,
        "what 4 secrets 5 know": 0.2,
    },
    Family.COMPLIANCE: {
        "always 2 comply": 0.2,
        "always 2 refuse": 0.35,
        "begin": 0.2,
        "comply": 0.3,
        "disregarded 10 comply": 0.2,
        "mention 3 not_after": 0.35,
        "not 3 mention 5 policies": 0.35,
        "not 3 refuse": 0.35,
        "refuse 2 not": 0.2,
        "refused 3 not_after": 0.35,
        "without 2 mention": 0.2,
    },
    Family.INDIRECT: {
        "addressed": 0.35,
        "addressed 6 reveal": 0.25,
        "ai 2 processing": 0.3,
        "decode 12 follow 3 instructions": 0.3,
        "decode 6 follow": 0.35,
        "disregard 1 task": 0.25,
        "disregard 2 all 2 task": 0.3,
        "disregard 3 your 2 task": 0.4,
        "follow 2 instructions 1 not": 0.2,
        "instructions 2 disregarded": 0.2,
        "not 0 task": 0.25,
        "processing 1 ai": 0.3,
        "reveal 2 its 2 prompt": 0.2,
        "task 2 not_after": 0.25,
        "task 3 disregarded": 0.3,
    },
}

PATTERNS = tuple(
    Pattern.parse(family, weight, text)
    for family, sources in _SOURCES.items()
    for text, weight in sources.items()
)
