"""`python -m document_assistant` fills the index, and serves the archive and the assistant."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import uvicorn
from starlette.requests import HTTPConnection

from arc_autoconfig import Application, ArcSettings
from arc_core import Caller, IndexesFiles

HOST = "127.0.0.1"
PORTS = {"ASSISTANT_PORT": "8010", "ARCHIVE_PORT": "8020"}
ARCHIVE = {"auth": "oauth", "login": "at_start"}
DOCUMENTS, INDEX = Path("documents"), Path("documents.db")


def make_application(port: int = 8010, archive_port: int = 8020) -> Application:
    """The assistant; `arc.toml` and the environment may say more, such as another embedder."""
    settings = ArcSettings(
        max_tool_calls=100,
        rag={"path": str(INDEX), "mode": "both", "top_k": 2},
        llm={"max_context_window_tokens": 24_000, "max_output_tokens": 1_000},
        credentials={"backend": "memory"},
        mcp={"servers": {"archive": {**ARCHIVE, "url": f"http://{HOST}:{archive_port}/mcp"}}},
        server={"public_url": f"http://{HOST}:{port}"},
    )
    return Application(settings)


async def fill_index(app: Application) -> None:
    """Add the documents of the folder `documents`; those that have not changed cost nothing."""
    retriever = app.container.retriever()
    assert isinstance(retriever, IndexesFiles)
    await retriever.add_files([DOCUMENTS])


def find_caller(request: HTTPConnection) -> Caller:
    """Return Ann, who uses this machine; a company puts its own login here."""
    return Caller(name="ann", user_ids=frozenset({"ann"}))


def main() -> None:
    """Serve until Ctrl-C, or until the process is terminated."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # so that the archive is ended, too
    port, archive_port = (int(os.environ.get(name, default)) for name, default in PORTS.items())
    app = make_application(port, archive_port)
    if not DOCUMENTS.exists():
        shutil.copytree(Path(__file__).with_name("documents"), DOCUMENTS)
    asyncio.run(fill_index(app))
    command = [sys.executable, "-m", "document_assistant.archive", str(archive_port)]
    with subprocess.Popen(command) as archive:  # noqa: S603 -- a module of ours
        print(f"The assistant is at http://{HOST}:{port}, and the archive beside it.", flush=True)
        try:
            _wait_for(archive_port)
            uvicorn.run(
                app.asgi(authenticate=find_caller), host=HOST, port=port, log_level="warning"
            )
        finally:
            archive.terminate()


def _wait_for(port: int) -> None:
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"The archive does not answer on port {port}.")


if __name__ == "__main__":
    main()
