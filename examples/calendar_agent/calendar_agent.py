"""An agent that reads the calendar of the person who asks: `python calendar_agent.py`.

Start `calendar_service.py` first, and open http://127.0.0.1:8010.
"""

import os

import httpx2
import uvicorn

from arc_autoconfig import Application, ArcSettings
from arc_core import ToolContext, tool

SERVICE = os.environ.get("CALENDAR_URL", "http://127.0.0.1:8020")
PORT = int(os.environ.get("AGENT_PORT", "8010"))


@tool
async def list_events(context: ToolContext) -> str:
    """List the events in the calendar of the user."""
    found = await context.credential("calendar")
    response = await get_events(found.token.get_secret_value())
    if response.status_code == httpx2.codes.UNAUTHORIZED:
        found = await context.credential("calendar", rejected=found)
        response = await get_events(found.token.get_secret_value())
    return response.raise_for_status().text


async def get_events(token: str) -> httpx2.Response:
    """Ask the service in the name of the person whose token it is."""
    async with httpx2.AsyncClient() as client:
        return await client.get(f"{SERVICE}/events", headers={"authorization": f"Bearer {token}"})


def make_application() -> Application:
    """The agent and its service; `memory` forgets all credentials at the end."""
    settings = ArcSettings(
        credentials={"backend": "memory"},
        services={
            "calendar": {
                "authorize_url": f"{SERVICE}/authorize",
                "token_url": f"{SERVICE}/token",
                "client_id": "agent",
                "scopes": ["read"],
            }
        },
        server={"public_url": f"http://127.0.0.1:{PORT}"},
    )
    return Application(settings, register=[list_events])


if __name__ == "__main__":
    uvicorn.run(make_application().asgi(), port=PORT, log_level="warning")
