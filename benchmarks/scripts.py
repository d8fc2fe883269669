"""The benchmarks that have a command of their own: what each measures, in which unit."""

from dataclasses import dataclass

__all__ = ["SCRIPTS", "Script"]


@dataclass(frozen=True)
class Script:
    """A benchmark with a command of its own.

    Attributes:
        arguments: Of `python -m`: the module, and which of its tables.
        measures: What is in its table.
        unit: Of its figures.
        needs: What it cannot do without beside this machine; empty if that is nothing.
    """

    arguments: str
    measures: str
    unit: str
    needs: str = ""

    @property
    def name(self) -> str:
        """The arguments in one word: `durable.cost`."""
        return self.arguments.removeprefix("benchmarks.").replace(" ", ".")

    @property
    def command(self) -> str:
        """The command that runs it."""
        return f"python -m {self.arguments}"


_POSTGRES = "ARC_TEST_POSTGRES_URL"
_SUITE = "Node.js, and the command of MCP's conformance suite"


def _script(name: str, measures: str, unit: str, *, needs: str = "") -> Script:
    return Script(f"benchmarks.{name}", measures, unit, needs)


SCRIPTS = (
    _script("assembly", "a delta assembled, beside the vendors' accumulators", "µs"),
    _script("audit_chain", "edits of chained audit logs that are found", "edits"),
    _script(
        "budgets", "what 500 runs at once spend over a budget", "tokens", needs="--redis-url URL"
    ),
    _script("conversations", "a load and an append by the length of a session", "µs"),
    _script("counts", "calls of runs, streams and a start, beside the floor's", "calls"),
    _script("credentials_in_processes", "calls with the token of another user", "calls"),
    _script("durable cost", "a durable step beside an INSERT with its commit", "INSERTs"),
    _script(
        "durable cuts", "runs whose connections to a database are cut", "runs", needs=_POSTGRES
    ),
    _script("durable handover", "runs whose workers end under load", "runs", needs=_POSTGRES),
    _script("durable jitter", "steps repeated by runs whose workers are killed", "steps"),
    _script("durable matrix", "work done twice by a process killed at every place", "steps"),
    _script(
        "durable restarts", "runs over restarts of a database", "runs", needs="a PostgreSQL server"
    ),
    _script("durable streams", "pieces missed by readers that are killed", "pieces"),
    _script("durable takeover", "until a killed process's run goes on", "s"),
    _script("durable upgrade", "runs over an upgrade", "runs", needs="--older FOLDER"),
    _script(
        "durable wakeups",
        "until a submitted or decided run goes on elsewhere",
        "ms",
        needs=_POSTGRES,
    ),
    _script("durable waiting", "10 000 runs that wait for a person", "MB", needs=_POSTGRES),
    _script("durable workers", "runs over workers that are killed", "runs", needs=_POSTGRES),
    _script("durable zombie", "what a worker writes that was cut off", "rows", needs=_POSTGRES),
    _script("exported_runs", "secrets that leave with exported recordings", "leaks"),
    _script(
        "fit_injection_results", "texts a fitted guard has not seen", "texts", needs="scikit-learn"
    ),
    *(
        _script(f"fuzzing {target}", f"malformed input: {what}", "faults")
        for target, what in (
            ("forms", "forms, schemas, structured answers and arguments of tools"),
            ("logins", "callbacks of logins, and answers of token endpoints"),
            ("recordings", "recordings that are replayed"),
            ("server", "requests to a server with all surfaces"),
            ("settings", "settings in files and variables"),
            ("streams", "answers of vendors, whole and streamed"),
        )
    ),
    _script("forked_runs", "forks that differ from the run they are of", "forks"),
    _script("growth", "runs and streams as one thing of theirs grows", "ms, power"),
    _script("injection_guard", "recall, precision and time of the injection guard", "shares, µs"),
    _script("long_run_costs", "late turns of a long run beside early ones", "MiB, ratio"),
    _script("long_run_kills", "requests of killed runs beside those of others", "requests"),
    _script("long_runs", "what a run longer than its window still knows", "facts"),
    _script("mcp_client_conformance", "MCP's suite for clients", "scenarios", needs=_SUITE),
    _script("mcp_real_servers", "nine MCP servers until they are ready", "s", needs="FOLDER"),
    _script("mcp_server_conformance", "MCP's suite for servers", "scenarios", needs=_SUITE),
    _script("output_guards", "leaks missed, and a check by an output guard", "leaks, µs"),
    _script("output_leaks", "leaks that leave on any of twelve ways", "leaks"),
    _script("output_window", "a piece behind the window of an output guard", "µs, ms"),
    _script("prompt_prefix", "of a request, what begins as the one before", "share"),
    _script("replayed_runs", "replays that differ, and their time", "runs, ms"),
    _script(
        "retrieval", "questions answered, and the time of a query", "share, ms", needs="wordllama"
    ),
    _script("seeded_regressions", "changes that a replay names", "changes"),
    _script("sequential_trials", "trials until a verdict, and wrong verdicts", "trials"),
    _script("serving latency", "a piece from the engine to its reader", "ms"),
    _script("serving leaving", "what connections that leave leave behind", "MB, tasks"),
    _script("serving load", "a served piece beside one of the engine", "µs, ratio"),
    _script("session_race", "words that a quick stranger gets", "leaks"),
    _script("soak", "what a server holds while all around it fails", "MB, tasks", needs=_POSTGRES),
    _script("tool_search", "tasks whose tool is found among 1 000", "share, tokens"),
    _script("wiring", "wiring by the number of plugins and services", "ms"),
)
