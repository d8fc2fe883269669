"""A login by a real browser: from its page to the service, which is another site, and back."""

from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Credential, Credentials, LoginNeeded
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from tests.arc_plugins.credentials.keeping.kept import ANN, AuthorizationServer
from tests.serving import KEY, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


class Service(AuthorizationServer):
    """Allows all, and sends the browser back to where the application is served."""

    back_to = ""

    def serve(self, request: ReceivedRequest) -> Reply:
        """Answer the browser, or the server."""
        if request.method == "POST":
            return self.answer(request)
        answer = urlencode(self.log_in(request.path))
        return Reply(status=303, headers={"location": f"{self.back_to}/oauth/callback?{answer}"})


async def test_a_person_logs_in(visiting: Any) -> None:
    """By pressing the button; the browser tells the server from which page that was done."""
    service = Service()
    async with VendorServer(*[service.serve] * 4) as vendor:
        elsewhere = vendor.url.replace("127.0.0.1", "localhost")
        oauth = {"authorize_url": f"{elsewhere}/authorize", "token_url": f"{vendor.url}/token"}
        settings = ArcSettings(
            _isolated=True,
            llm={"provider": "offline"},
            credentials={"backend": "memory"},
            services={"github": {**oauth, "client_id": "arc", "scopes": ["read"]}},
            server={"api_keys": [{"name": "page", "key": KEY}]},
        )
        app = Application(settings, plugins=False)
        async with serving_app(app.asgi()) as service.back_to:
            credentials: Credentials = app.component(Credentials)
            needed = await credentials.get(ANN, "github")
            assert isinstance(needed, LoginNeeded)
            async with visiting(service.back_to, path=urlsplit(needed.url).path) as visit:
                await visit.page.get_by_role("button").click()
                await visit.page.get_by_text("goes on").wait_for()
            found = await credentials.get(ANN, "github")

    assert isinstance(found, Credential)
    assert [each.headers.get("referer") for each in vendor.requests] == [None, None]
