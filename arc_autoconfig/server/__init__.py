"""An application behind HTTP: `app.asgi()` and `arc serve`.

A request passes `access` (which hosts, origins and keys), then the route of a surface, which asks
`served_runs` for runs. `asgi` puts it together, and `running` listens.
"""
