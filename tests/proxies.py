"""Caddy and nginx in front of a server, as the page about proxies has them, with TLS."""

import asyncio
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT

__all__ = ["NAME", "PROXIES", "Certificate", "make_certificate", "proxy", "resolve_name"]

NAME = "agents.localhost"  # leads to this machine in browsers; for others see `resolve_name`
PROXIES = ("nginx", "caddy")

_PAGE = ROOT / "docs/proxies.md"
_START_S = 20.0
_NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{block}
}}
"""


_LOOK_UP = f"""\
import dns from 'node:dns';
const lookUp = dns.lookup;
dns.lookup = (host, ...rest) => lookUp(host === '{NAME}' ? '127.0.0.1' : host, ...rest);
"""


class Certificate:
    """A certificate of its own for `NAME`, and its key, as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.file, self.key_file = folder / "certificate.pem", folder / "key.pem"

    @property
    def context(self) -> ssl.SSLContext:
        """What a client needs to trust it, and nothing else."""
        return ssl.create_default_context(cafile=str(self.file))


def make_certificate(folder: Path) -> Certificate:
    """A new one; skips the test, or fails it in CI, if openssl is not there."""
    made = Certificate(folder)
    command = [
        _find("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
        "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1", "-keyout", str(made.key_file),
        "-out", str(made.file),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return made


@asynccontextmanager
async def proxy(
    kind: str, *, to: str, port: int, certificate: Certificate, block: str | None = None
) -> AsyncIterator[str]:
    """The address of a proxy for `NAME`, while it serves.

    Args:
        kind: `nginx` or `caddy`.
        to: The address of the server behind it.
        port: Where it listens; see `tests.ports.free_port`.
        certificate: Of the proxy.
        block: Its configuration in the place of the page's.
    """
    command = _configure(kind, certificate.file.parent, block, to=to, port=port)
    folder = str(certificate.file.parent)
    home = {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "HOME": folder}
    process = await asyncio.create_subprocess_exec(
        *command, env=os.environ | home, stderr=asyncio.subprocess.PIPE
    )
    told = asyncio.create_task(process.communicate())
    try:
        await _wait_for(told, port)
        yield f"https://{NAME}:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await told


def resolve_name(monkeypatch: pytest.MonkeyPatch, certificate: Certificate) -> None:
    """Have clients in this process, and programs of node, find `NAME` and trust its certificate."""
    look_up = socket.getaddrinfo

    def look_up_here(host: Any, *rest: Any, **options: Any) -> Any:
        return look_up("127.0.0.1" if host in {NAME, NAME.encode()} else host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)
    module = certificate.file.parent / "look_up.mjs"
    module.write_text(_LOOK_UP, "utf-8")
    monkeypatch.setenv("NODE_OPTIONS", f"--import {module.as_uri()}")
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(certificate.file))


def _find(program: str) -> str:
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"there is no {program} on this machine: install it, as with apt-get")
    return found


def _read_block(kind: str) -> str:
    found = re.search(f"```{kind}\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None, f"the page has no configuration of {kind}"
    return found[1]


def _configure(kind: str, folder: Path, block: str | None, *, to: str, port: int) -> list[str]:
    """Write the configuration; the command that serves by it."""
    program, file = _find(kind), folder / f"{kind}.conf"
    text = _adapt(block or _read_block(kind), folder, to=to, port=port)
    if kind == "nginx":
        file.write_text(_NGINX.format(folder=folder, block=text), "utf-8")
        return [program, "-p", str(folder), "-e", "stderr", "-c", str(file)]
    file.write_text(f"{{\n    admin off\n    auto_https off\n}}\n{text}", "utf-8")
    return [program, "run", "--config", str(file), "--adapter", "caddyfile"]


def _adapt(block: str, folder: Path, *, to: str, port: int) -> str:
    """The page's configuration for this certificate and these ports; all else stays as it is."""
    made = Certificate(folder)
    for there, here in (
        ("127.0.0.1:8010", to.removeprefix("http://")),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/agents.example.pem", str(made.file)),
        ("/etc/ssl/agents.example.key", str(made.key_file)),
        (
            "agents.example {",
            f"{NAME}:{port} {{\n    bind 127.0.0.1\n    tls {made.file} {made.key_file}",
        ),
        ("agents.example", NAME),
    ):
        block = block.replace(there, here)
    return block


async def _wait_for(told: "asyncio.Task[tuple[bytes, bytes]]", port: int) -> None:
    async with asyncio.timeout(_START_S):
        while not told.done():
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return
    pytest.fail(f"the proxy has ended: {told.result()[1].decode()}")
