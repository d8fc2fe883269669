"""Which parameters of a request a server names when it refuses it."""

from collections.abc import Iterator, Mapping

import openai

__all__ = ["refused_parameters"]


def refused_parameters(error: openai.APIStatusError) -> Iterator[str]:
    """The parameters that the body of a refusal names, such as `reasoning.summary`.

    They are found where bodies have names, never in their text; words that are not parameters may
    be among them.
    """
    if error.param:
        yield str(error.param)
    details = error.body.get("detail") if isinstance(error.body, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        location = detail.get("loc") if isinstance(detail, Mapping) else None
        yield from map(str, location if isinstance(location, list) else ())
