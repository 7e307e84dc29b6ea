"""Runs the backend until SIGTERM: `python3 -m backend`."""

from appserver_sdk import app_environment, serve_app, stop_on_signals

from .routes import routes

environment = app_environment()
app = serve_app(host=environment.host, port=environment.port, routes=routes)
stop_on_signals(app.stop)
