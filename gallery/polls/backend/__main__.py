"""Runs the backend until SIGTERM: `python3 -m backend`."""

from appserver_sdk import app_environment, database, serve_app, stop_on_signals

from .polls import Polls
from .routes import poll_routes

environment = app_environment()
pool = database(migrations="migrations")
polls = Polls(pool)
app = serve_app(host=environment.host, port=environment.port, routes=poll_routes(polls), health=polls.check, log_requests=True)
stop_on_signals(app.stop, pool.close)
