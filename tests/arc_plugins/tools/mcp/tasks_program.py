"""A server whose calls become tasks, for tests: `python tasks_program.py 2025|2026 FILE`, a child.

It speaks the protocol by itself, since the SDK has no tasks. The file has all that it was asked
about tasks, a line each, and so what its processes before this one were asked.
"""

import json
import sys
from pathlib import Path
from typing import Any

_, ERA, PLACE = sys.argv
IS_NEW = ERA == "2026"
FILE = Path(PLACE)
FORM = {"type": "object", "properties": {"account": {"type": "string"}}, "required": ["account"]}
QUESTION = {"message": "Which account?", "requestedSchema": FORM}
TOOLS = ("work", "ask", "never", "forgets", "push", "pays")


def asked(method: str) -> list[dict[str, Any]]:
    """All that was asked by this method so far."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return [each["params"] for each in map(json.loads, lines) if each["method"] == method]


def say(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": text.startswith("error")}


def describe_tools() -> list[dict[str, Any]]:
    support = {} if IS_NEW else {"execution": {"taskSupport": "required"}}
    return [
        {"name": name, "description": name, "inputSchema": {"type": "object"}, **support}
        for name in TOOLS
    ]


def make_task(task_id: str, status: str, **more: Any) -> dict[str, Any]:
    at = "2026-01-01T00:00:00Z"
    suffix = "Ms" if IS_NEW else ""
    times = {"createdAt": at, "lastUpdatedAt": at, f"ttl{suffix}": None}
    pause = 60_000 if task_id.startswith("push") else 1
    return {"taskId": task_id, "status": status, f"pollInterval{suffix}": pause, **times, **more}


def get_state(task_id: str) -> dict[str, Any] | None:  # noqa: PLR0911 -- one for each task
    name = task_id.partition("-")[0]
    looks = sum(each["taskId"] == task_id for each in asked("tasks/get"))
    answers = [each["inputResponses"] for each in asked("tasks/update")]
    match name:
        case "forgets" if looks > 1:
            return None
        case "never" | "forgets":
            return make_task(task_id, "working", statusMessage="still at it")
        case "ask" if IS_NEW and not answers:
            request = {"method": "elicitation/create", "params": QUESTION}
            return make_task(task_id, "input_required", inputRequests={"q-1": request})
        case "ask" if not IS_NEW:
            return make_task(task_id, "input_required")
        case "work" if looks < 3:
            return make_task(task_id, "working")
        case "push" if looks == 1:
            send(method=f"notifications/tasks{'' if IS_NEW else '/status'}", params=PUSHED)
            return make_task(task_id, "working")
        case "pays":
            return make_task(task_id, "completed", result=say("error: no money"))
    return make_task(task_id, "completed", result=say(f"{name}: {json.dumps(answers)}"))


PUSHED = make_task("push-1", "completed")


def get_result(task_id: str) -> dict[str, Any]:
    if not task_id.startswith("ask"):
        return say("error: no money" if task_id.startswith("pays") else "done")
    send(id="ask-1", method="elicitation/create", params=QUESTION)
    reply: dict[str, Any] = {}
    while reply.get("id") != "ask-1":
        reply = json.loads(sys.stdin.readline())
    return say(json.dumps(reply.get("result"), sort_keys=True))


def respond(method: str, params: dict[str, Any]) -> Any:  # noqa: PLR0911 -- one for each method
    if method.startswith("tasks/") or method == "tools/call":
        with FILE.open("a") as file:
            file.write(json.dumps({"method": method, "params": params}) + "\n")
    match method:
        case "server/discover" if IS_NEW:
            return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        case "initialize":
            requests: Any = {"requests": {"tools": {"call": {}}}}
            info = {"name": "tasks", "version": "1"}
            found = {"capabilities": {"tools": {}, "tasks": requests}, "serverInfo": info}
            return {"protocolVersion": "2025-11-25", **found}
        case "tools/list":
            return {"tools": describe_tools()}
        case "tools/call":
            task = make_task(f"{params['name']}-{len(asked('tools/call'))}", "working")
            return {"resultType": "task", **task} if IS_NEW else {"task": task}
        case "tasks/get":
            return get_state(params["taskId"])
        case "tasks/result":
            return get_result(params["taskId"])
    return {}


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    defaults = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"} if IS_NEW else {}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        number, method = message["id"], message["method"]
        if method in {"server/discover", "subscriptions/listen"} and not (
            IS_NEW and method == "server/discover"
        ):
            send(id=number, error={"code": -32601, "message": "Method not found"})
        elif (result := respond(method, message.get("params", {}))) is None:
            send(id=number, error={"code": -32602, "message": "Task not found"})
        else:
            send(id=number, result={**defaults, **result})


main()
