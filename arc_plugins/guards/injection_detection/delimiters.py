"""Marks by which prompts tell roles apart; in a person's words they are forged."""

import re

__all__ = ["DELIMITER"]

_ROLES = "system|sys|user|assistant|human|admin|developer|ai|bot|inst|instructions?|prompt"
_ROLES_ELSEWHERE = (
    "sistema|système|systeme|usuario|benutzer|система|시스템|사용자|システム|系统|系統"
)
_FRAMES = "context|input|session|chat|conversation|document|message|output|rules|config"

# The class at the beginning lets text without these characters be passed over quickly.
DELIMITER = re.compile(
    rf"""
    [<\[{{\#%=*"'\n-]
    (?:
        (?<=<)\|[a-z_\ ]{{1,24}}\|>
      | (?<=<)</?(?:{_ROLES})>>
      | (?<=<)/?(?:{_ROLES}|{_ROLES_ELSEWHERE}|user_input|system_prompt|{_FRAMES})
        (?:\ [^<>]{{0,40}})?>
      | (?<=<)\#\#?>
      | (?<=[\[{{])\s?/?(?:{_ROLES}|{_ROLES_ELSEWHERE})
        (?:\ (?:message|prompt|note|mode|update))?\s?[\]}}]
      | (?<=\[)(?:end|begin|start)\ (?:of\ )?(?:{_ROLES}|{_FRAMES})[^\[\]]{{0,20}}\]
      | (?<=\#)\#{{1,5}}\ ?(?:new\ )?(?:{_ROLES}|{_ROLES_ELSEWHERE}|response)\b
      | (?<=[%\#=*-])[%\#=*-]{{2,40}}\s?(?:begin|end|start|new)\b
      | (?<=["'])role["']\s?:\s?["'](?:system|developer)["']
      | (?<=\n)\W{{0,3}}(?:human|assistant|system|user|시스템|システム|系统|система|sistema)
        \W{{0,2}}:
    )
    """,
    re.VERBOSE,
)
"""Finds forged marks in text in lower case that begins and ends with a line break."""
