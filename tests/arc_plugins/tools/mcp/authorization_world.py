"""An MCP server that wants tokens, its authorization server, and people, on one loopback server."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from arc_core import Credential, Credentials, LoginNeeded, LoginRefused, Owner, ToolContext
from arc_core.interfaces.tools.tool_requests import ToolRequests
from arc_core.log import get_logger
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_core.timing.backoff import Backoff
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.credentials.settings import ServicesSettings
from arc_plugins.tools.mcp.authorization import McpServices
from arc_plugins.tools.mcp.settings import McpSettings
from arc_plugins.tools.mcp.source import McpTools
from tests.arc_plugins.credentials.keeping.kept import AuthorizationServer, in_memory, login_id
from tests.arc_plugins.tools.mcp.hostile import CONTEXT

__all__ = ["NeededError", "World", "call", "context_of", "world_of"]

_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


class NeededError(Exception):
    """A run would wait for a login."""

    def __init__(self, login: LoginNeeded) -> None:
        super().__init__(login.service)
        self.login = login


@dataclass
class Asked(ToolRequests):
    """The requests of one call: what must be waited for is an error of the test."""

    credentials: Credentials
    owner: Owner
    questions: list[str] = field(default_factory=list)

    async def ask(
        self, text: str, schema: Mapping[str, Any], *, url: str | None, hold_s: float
    ) -> Mapping[str, Any]:
        """The user says that it is done."""
        self.questions.append(url or text)
        return {}

    async def credential(
        self, service: str, rejected: Credential | None, scopes: Any
    ) -> Credential:
        """The credential of the owner, or the login that the run would wait for."""
        found = await self.credentials.get(self.owner, service, rejected=rejected, scopes=scopes)
        if isinstance(found, LoginNeeded):
            raise NeededError(found)
        return found

    async def begin(self) -> None:
        """Nothing is noted."""

    async def recall(self) -> Sequence[str]:
        """Nothing was remembered."""
        return ()

    async def remember(self, text: str) -> None:
        """Nothing is remembered."""

    @property
    def is_handed_over(self) -> bool:
        """No other process goes on."""
        return False


@dataclass
class World:
    """One server with all three roles.

    Attributes:
        url: Of it.
        resource_metadata: Of the MCP server.
        metadata: Of the authorization server.
        refused: Tokens that are refused with 401.
        used: The token of each call of a tool, by the name of the tool.
        replies: In the place of what would be answered, by path.
        wanted: The scopes that each tool wants.
        opening: What the user is to open before the next calls, the last one first.
        paths: What was asked for.
        listed: The names of the tools that there are for a token.
        resources: The addresses of the resources that there are for a token; none: the server has
            none.
    """

    url: str
    server: AuthorizationServer = field(default_factory=AuthorizationServer)
    resource_metadata: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    used: list[tuple[str, str]] = field(default_factory=list)
    replies: dict[str, Callable[[], Reply]] = field(default_factory=dict)
    wanted: dict[str, str] = field(default_factory=dict)
    opening: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    listed: Callable[[str], Sequence[str]] = lambda _: ["whoami"]
    resources: Callable[[str], Sequence[str]] | None = None

    def __post_init__(self) -> None:
        self.server.issuer = self.url
        self.resource_metadata |= {
            "resource": f"{self.url}/mcp",
            "authorization_servers": [self.url],
            "scopes_supported": ["read"],
        }
        self.metadata |= {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def answer(self, request: ReceivedRequest) -> Reply:
        """Answer any request."""
        path = request.path.partition("?")[0]
        self.paths.append(path)
        replies: dict[str, Callable[[], Reply]] = {
            "/mcp": lambda: self._answer_mcp(request),
            "/.well-known/oauth-protected-resource/mcp": lambda: Reply.json(self.resource_metadata),
            "/.well-known/oauth-authorization-server": lambda: Reply.json(self.metadata),
            "/register": lambda: Reply.json({"client_id": "arc"}, status=201),
            "/token": lambda: self.server.answer(request),
            **self.replies,
        }
        return replies.get(path, lambda: Reply.json({}, status=404))()

    def _answer_mcp(self, request: ReceivedRequest) -> Reply:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        metadata = f"{self.url}/.well-known/oauth-protected-resource/mcp"
        if token not in self.server.tokens or token in self.refused:
            challenge = f'Bearer resource_metadata="{metadata}", scope="read"'
            return Reply.json({}, status=401, headers={"www-authenticate": challenge})
        message = request.json() if request.method == "POST" else {}
        if "id" not in message:
            return Reply(status=202 if message else 405)
        params = message.get("params", {})
        name = params.get("name", "")
        if message["method"] == "tools/call" and (scope := self.wanted.get(name)):
            challenge = f'Bearer error="insufficient_scope", scope="{scope}"'
            return Reply.json({}, status=403, headers={"www-authenticate": challenge})
        return self._reply(message, token)

    def _reply(self, message: dict[str, Any], token: str) -> Reply:
        result: dict[str, Any] = {}
        match message["method"]:
            case "initialize":
                result = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}} | ({"resources": {}} if self.resources else {}),
                    "serverInfo": {"name": "tools", "version": "1"},
                }
            case "tools/list":
                names = self.listed(token)
                result = {"tools": [{"name": name, "inputSchema": _OBJECT} for name in names]}
            case "resources/list" if self.resources is not None:
                found = [{"uri": each, "name": each} for each in self.resources(token)]
                result = {"resources": found}
            case "resources/templates/list":
                result = {"resourceTemplates": []}
            case "tools/call" if self.opening:
                wanted = self.opening.pop()
                error = {"code": -32042, "message": "open it", "data": {"elicitations": [wanted]}}
                return Reply.json({"jsonrpc": "2.0", "id": message["id"], "error": error})
            case "tools/call":
                self.used.append((message["params"]["name"], token))
                text = f"your token is {token}"
                result = {"content": [{"type": "text", "text": text}]}
            case "ping":
                pass
            case _:
                error = {"code": -32601, "message": "Method not found"}
                return Reply.json({"jsonrpc": "2.0", "id": message["id"], "error": error})
        return Reply.json({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def settings(self, **more: Any) -> McpSettings:
        """One server, whose name is `tools`."""
        lists = more.pop("lists", None)
        server = {"url": f"{self.url}/mcp", "auth": "oauth", **more}
        return McpSettings.model_validate({"servers": {"tools": server}, "lists": lists})

    def credentials(self, **more: Any) -> KeptCredentials:
        """In memory, with the server as a source."""
        return in_memory(ServicesSettings(), sources=[McpServices(self.settings(**more))])

    def tools(self, **more: Any) -> McpTools:
        """The tools of the server."""
        return McpTools(
            settings=self.settings(**more),
            max_output_chars=1000,
            max_reply_bytes=1_000_000,
            logger=get_logger("mcp"),
            reconnects=Backoff(first_delay_s=0.01, max_delay_s=30.0),
        )

    async def log_in(self, credentials: KeptCredentials, needed: LoginNeeded) -> None:
        """Let a person make a login."""
        address = await credentials.begin_login(login_id(needed.url), browser="b")
        assert isinstance(address, str), address
        ended = await credentials.complete_login(self.server.log_in(address), browser="b")
        assert not isinstance(ended, LoginRefused), ended


def context_of(credentials: Credentials, user: str) -> ToolContext:
    """The context of a call for a user."""
    owner = Owner(user_id=user)
    return replace(CONTEXT, user_id=user, requests=Asked(credentials, owner))


async def call(tools: McpTools, name: str, context: ToolContext) -> str:
    """What a tool answers in a context."""
    found = next(each for each in tools.tools() if each.name == name)
    return str(await found.call({}, context))


@asynccontextmanager
async def world_of() -> AsyncIterator[World]:
    """A server that wants logins, on loopback."""
    async with VendorServer() as vendor:
        world = World(vendor.url)
        vendor.add(*[world.answer] * 300)
        yield world
