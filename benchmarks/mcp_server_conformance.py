"""The official conformance suite of MCP for servers, driven over Arc's server.

`python -m benchmarks.mcp_server_conformance "node …/conformance/dist/index.js"` serves an
application whose tools are those that the suite wants, has the suite run its scenarios one by one,
and prints what it says of each: with the versions of the protocol that a scenario is for, if the
suite is one that tells them apart. Scenarios may be named behind it. A failed check that is due to
something which Arc does not serve says so; every other one is a fault.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core.testing import ScriptedChatModel
from benchmarks.mcp_conformance_tools import FIXTURES
from tests.serving import serving_app

NOT_SERVED: Mapping[str, str] = {
    "completion-": "completion",
    "logging-": "log messages",
    "tools-call-with-logging": "log messages",
    "resources-": "resources",
    "sep-2164-": "resources",
    "sep-2640-": "skills",
    "caching": "resources and prompts",
    "prompts-": "prompts",
    "input-required-result-non-tool-request": "prompts",
    "tools-call-sampling": "sampling by the client",
    "input-required-result-basic-sampling": "sampling by the client",
    "input-required-result-capability-check": "sampling by the client",
    "input-required-result-multiple-input-requests": "sampling by the client and its roots",
    "input-required-result-basic-list-roots": "roots of the client",
}
"""What Arc's server does not have, by the beginnings of the scenarios that want it."""
NOT_MEANT: Mapping[str, str] = {
    "sep-2322-elicitation-incomplete": "a key that the suite has chosen; keys are the server's",
    "sep-2322-ignore-unexpected-params": "a key that the suite has chosen; keys are the server's",
    "server-sse-priming-event": "streams that are resumed; `arc/run_id` reads on in their place",
    "server-sse-retry-field": "streams that are resumed; `arc/run_id` reads on in their place",
    "sep-2575-server-rejects-undeclared-capability": "a tool that needs a capability; none does",
    "sep-2575-missing-capability-http-400": "a tool that needs a capability; none does",
    "sep-2663-server-returns-missing-capability-when-required": "a tool of tasks only; none is",
    "sep-2663-tasks-get-status-failed": "a tool that breaks the protocol; its errors are results",
    "tasks-mrtr-partial-fulfillment": "a tool that asks twice at once; they ask one by one",
}
"""What single checks want that is not the protocol's, or that Arc's tools do not do."""
_LISTED = re.compile(r"^\s+- (\S+) \[([^]]*)\]$", re.MULTILINE)


@asynccontextmanager
async def serve_fixtures() -> AsyncIterator[str]:
    """Serve the tools that the suite wants; gives the address of the server."""
    app = Application(
        ArcSettings(_isolated=True, logging={"level": "ERROR"}),
        register=[ScriptedChatModel([]), *FIXTURES],
        plugins=False,
    )
    async with serving_app(app.asgi()) as address:
        yield f"{address}/mcp"


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the suite says of one scenario.

    Attributes:
        scenario: Its name.
        version: Of the protocol; empty if the suite has chosen it.
        counts: How many checks there are of each status.
        problems: What the failed ones say, by their ids.
    """

    scenario: str
    version: str
    counts: Mapping[str, int]
    problems: Mapping[str, str]

    @property
    def not_served(self) -> str:
        """What it wants that Arc does not serve; empty if it is none of that."""
        found = (what for name, what in NOT_SERVED.items() if self.scenario.startswith(name))
        return next(found, "")

    @property
    def verdict(self) -> str:
        """`passed`, `not served`, `other`, `failed`, or `skipped` if nothing was checked."""
        if self.not_served:
            return "not served"
        if self.problems:
            return "other" if self.problems.keys() <= NOT_MEANT.keys() else "failed"
        return "passed" if self.counts.get("SUCCESS") else "skipped"

    def __str__(self) -> str:
        counts = ", ".join(f"{number} {status.lower()}" for status, number in self.counts.items())
        line = f"{self.verdict:<10} {self.scenario} {self.version}: {counts}"
        if self.not_served:
            return f"{line}; Arc does not serve {self.not_served}"
        said = (f"{key}: {NOT_MEANT.get(key, text)}" for key, text in self.problems.items())
        return "\n".join([line, *(f"           - {each}" for each in said)])


async def read_output(*command: str) -> str:
    """Run a command to its end; return what it writes."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    return output.decode("utf-8", "replace")


async def list_scenarios(suite: list[str]) -> list[tuple[str, str]]:
    """Return the scenarios of a suite, each with the newest versions of the protocol it is for.

    Extensions are for no version, and have an empty one.
    """
    found = list[tuple[str, str]]()
    for name, versions in _LISTED.findall(await read_output(*suite, "list", "--server")):
        dated = [each for each in versions.split(",") if each in {"2025-11-25", "2026-07-28"}]
        found += [(name, each) for each in dated or [""]]
    return found


async def run_scenario(suite: list[str], scenario: str, version: str, *, url: str) -> Report:
    """Have the suite run one scenario, and read what it has checked."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--spec-version", version] if version else []
        said = await read_output(
            *suite, "server", "--url", url, "--scenario", scenario, *options, "-o", folder
        )
        checks = [*read_checks(Path(folder))]
    counts = Counter(each["status"] for each in checks)
    problems = {
        each["id"]: str(each.get("errorMessage") or each["description"])[:300]
        for each in checks
        if each["status"] in {"FAILURE", "WARNING"}
    }
    if not checks:
        problems["nothing was checked"] = said.strip()[-300:]
    return Report(scenario=scenario, version=version, counts=counts, problems=problems)


def read_checks(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Return the checks that the suite has written into a folder."""
    for file in folder.rglob("checks.json"):
        yield from json.loads(file.read_text("utf-8"))


async def run_suite(suite: list[str], names: tuple[str, ...]) -> int:
    """Run scenarios one by one; return how many have failed of what Arc serves."""
    verdicts = Counter[str]()
    async with serve_fixtures() as url:
        for scenario, version in await list_scenarios(suite):
            if names and scenario not in names:
                continue
            report = await run_scenario(suite, scenario, version, url=url)
            verdicts[report.verdict] += 1
            print(report, flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items())))
    return verdicts["failed"]


if __name__ == "__main__":
    sys.exit(asyncio.run(run_suite(sys.argv[1].split(), tuple(sys.argv[2:]))) and 1)
