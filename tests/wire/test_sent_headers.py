"""What goes to a vendor beside the body of a request."""

from arc_core import ChatRequest, UserMessage
from arc_core.testing.vendor_server import VendorServer
from tests.wire.models import EACH, VendorModel, asking
from tests.wire.scripts import text_reply

_OF_THE_MACHINE = {
    *("x-stainless-os", "x-stainless-arch", "x-stainless-runtime", "x-stainless-runtime-version"),
    *("x-stainless-lang", "x-stainless-package-version"),
}


@EACH
async def test_a_vendor_learns_nothing_of_the_machine(model_type: type[VendorModel]) -> None:
    """The SDK's headers of system and Python are left out; the credentials are there."""
    request = ChatRequest(messages=(UserMessage("Hello"),))
    async with (
        VendorServer(text_reply(model_type, "Hi.")) as server,
        asking(server, model_type) as model,
    ):
        await model.complete(request)

    sent = server.requests[0].headers
    assert _OF_THE_MACHINE.isdisjoint(sent)
    assert sent["content-type"] == "application/json"
    assert {"authorization", "x-api-key"} & sent.keys()
