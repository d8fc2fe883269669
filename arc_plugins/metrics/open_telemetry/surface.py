"""Serves the figures to Prometheus: `GET /metrics`.

What the program has set up as meter provider stays; without any, one is set up that Prometheus
reads. Needs `telemetry.metrics`, and the extras `server` and `otel`.
"""

from collections.abc import Collection, Sequence

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import get_meter_provider, set_meter_provider
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arc_core import NotPermittedError, ServedApplication, ServesWorkers, Surface
from arc_core.serving import caller_of


class MetricsSurface(Surface, ServesWorkers):
    """The page that a Prometheus scrapes."""

    order, serves_workers = 90, True
    public_paths: Collection[str] = ()

    def __init__(self) -> None:
        if not isinstance(get_meter_provider(), MeterProvider):
            set_meter_provider(MeterProvider([PrometheusMetricReader()]))

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The one page, for keys that are bound to no tenant, users or agents: it tells of all."""
        return [Route("/metrics", _show, methods=["GET"])]


async def _show(request: Request) -> Response:
    caller = caller_of(request)
    if not caller.is_unbound:
        raise NotPermittedError("the figures of all tenants", key=caller.name)
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)
