"""Runs the backend until SIGTERM: `python3 -m backend`."""

from appserver_sdk import (
    ActivityRun,
    ActivityWorker,
    AppSettings,
    app_environment,
    database,
    log_line,
    read_app_identity,
    serve_app,
    stop_on_signals,
)

from .routes import task_routes
from .tasks import SqlTasks, Task
from .webhook import post_task

# Days after which a task that is done is removed.
KEPT_DAYS = 30

environment = app_environment()
app_name = environment.app_name
private_key = read_app_identity().private_key

# The database of the app, with the tables of migrations/. It stays when the app is upgraded or uninstalled.
pool = database(migrations="migrations")
tasks = SqlTasks(pool)

# Kept current while the app runs.
settings = AppSettings(environment=environment, app_name=app_name, private_key=private_key)


def clean_up(_run: ActivityRun) -> object:
    """app.yaml has the schedule. A run may be repeated after an interruption."""
    removed = tasks.remove_done(KEPT_DAYS)
    log_line("info", "removed old tasks", removed=removed)
    return {"removed": removed}


def added(task: Task) -> None:
    post_task(settings.text("__RESOURCE__.webhook"), task)


worker = ActivityWorker(grpc_url=f"http://{environment.grpc_address}", app_name=app_name, private_key=private_key)
worker.activity("clean-up", clean_up).start()

app = serve_app(
    host=environment.host, port=environment.port, routes=task_routes(tasks, added), health=tasks.check, log_requests=True
)
stop_on_signals(worker.stop, settings.close, app.stop, pool.close)
