"""The suite for masks passes for good ones, and finds those that break the contract."""

import asyncio
import re
from itertools import count
from typing import Any

from arc_core import ConfigurationError, TextMask
from arc_core.testing.conformance.guards.text_mask import TextMaskConformance
from tests.arc_core.testing.conformance.suites import (
    Fault,
    FindsFaults,
    make_good_suite,
    swallow_cancellation,
)


class ProjectMask(TextMask):
    """A good mask."""

    async def mask(self, text: str) -> str:
        await asyncio.sleep(0)
        return text.replace("Blue Heron", "[project]")


class UnknownProjects(ProjectMask):
    """Its list of projects is not there."""

    async def mask(self, text: str) -> str:
        raise ConfigurationError("the list of projects is not there", remedy="install it")


class ProjectConformance(TextMaskConformance):
    """The suite with a text of its own."""

    texts = ("It is about Blue Heron.",)


TestProjectMask = make_good_suite(ProjectConformance, ProjectMask, failing=UnknownProjects)


class Unordered:
    """Has no order."""

    async def mask(self, text: str) -> str:
        return text


class NothingFound(ProjectMask):
    """Returns None if there is nothing to replace."""

    async def mask(self, text: str) -> Any:
        return text.replace("Blue Heron", "[project]") if "Blue Heron" in text else None


class OnlyWholeTexts(ProjectMask):
    """Does not look into documents."""

    async def mask(self, text: str) -> str:
        return "[project]" if text == ProjectConformance.texts[0] else text


class MaskAgain(ProjectMask):
    """Finds a word in its own replacement."""

    async def mask(self, text: str) -> str:
        return re.sub("Blue Heron|project", "[project]", text)


class Numbered(ProjectMask):
    """Gives each replacement the next number."""

    def __init__(self) -> None:
        self._numbers = count(1)

    async def mask(self, text: str) -> str:
        return text.replace("Blue Heron", f"[project {next(self._numbers)}]")


class Shared(ProjectMask):
    """Keeps its text where the next one overwrites it."""

    text = ""

    async def mask(self, text: str) -> str:
        self.text = text
        await asyncio.sleep(0)
        return self.text


class Open(ProjectMask):
    """Lets the text out though its list of projects is not there."""

    async def mask(self, text: str) -> str:
        return text


class Deaf(ProjectMask):
    """Takes a cancellation for a text."""

    async def mask(self, text: str) -> str:
        await swallow_cancellation()
        return text


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite = ProjectConformance
    faults = (
        Fault(Unordered, "it_is_a_mask", match="lacks order"),
        Fault(NothingFound, "any_text_stays_a_text", "a", match="returned None"),
        Fault(OnlyWholeTexts, "own_texts_are_masked", match="a document keeps"),
        Fault(MaskAgain, "a_second_pass_masks_nothing_more", match="its own replacement"),
        Fault(Numbered, "equal_texts_are_masked_alike", match="the second time"),
        Fault(Shared, "masked_texts_do_not_mix", match="texts mix"),
        Fault(Open, "a_mask_fails_closed", match="could not look at"),
        Fault(Deaf, "a_cancellation_leaves_it", match="swallows"),
    )
