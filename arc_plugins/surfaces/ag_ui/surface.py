"""AG-UI: a front end posts a `RunAgentInput`, and reads the events of the run.

`threadId` is the conversation, `runId` the run: the same one again is the same run, read from its
beginning. A run that waits for a person finishes with the outcome `interrupt`; the run that resumes
it continues the run of Arc, and tells what follows.
"""

from collections.abc import Sequence

from starlette.routing import BaseRoute, Route

from arc_core import ServedApplication, Surface
from arc_core.serving import Deferred


class AgUiSurface(Surface):
    """The protocol of CopilotKit and other front ends for agents."""

    order = 30

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The route of the default agent, and that of the others."""
        run = Deferred("arc_plugins.surfaces.ag_ui.requests:Endpoint", application).endpoint("run")
        return [
            Route("/ag-ui", run, methods=["POST"]),
            Route("/ag-ui/{agent}", run, methods=["POST"]),
        ]
