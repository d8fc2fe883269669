"""The container of an application is made when asked for; overrides are found all the same."""

import subprocess
import sys

from arc_autoconfig import Application, ArcContainer, ArcSettings
from arc_core.testing import DictResponseCache, ScriptedChatModel

RUN = """
import sys
from arc_autoconfig import Application
from arc_core.testing import ScriptedChatModel

application = Application(register=[ScriptedChatModel(["Hi."])])
print(application.run("Hello").content, "dependency_injector" in sys.modules)
_ = application.container
print("dependency_injector" in sys.modules)
"""


def test_a_run_does_without_the_container() -> None:
    """Nor imports its library, which imports every web framework that is installed."""
    process = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, check=True
    )

    assert process.stdout.splitlines() == ["Hi. False", "True"]


def test_an_application_has_one_container() -> None:
    """What is overridden in it stays overridden."""
    application = Application(ArcSettings(), register=[ScriptedChatModel(["Hi."])])
    cache = DictResponseCache()

    application.container.response_cache.override(cache)

    assert application.container is application.container
    assert application.container.response_cache() is cache


def test_what_the_class_overrides_is_found_unasked() -> None:
    """The report names it, though the application's container was not asked for."""
    with ArcContainer.response_cache.override(DictResponseCache()):
        application = Application(ArcSettings(), register=[ScriptedChatModel(["Hi."])])

    [cache] = (each for each in application.report.decisions if each.place.name == "response_cache")

    assert str(cache.winner).startswith("DictResponseCache")
