"""An app that uses all of the SDK, for the tests of its folder."""

from typing import Any

from appserver_sdk import (
    ActivityOptions,
    ActivityRun,
    ActivityWorker,
    AppAnswer,
    AppCall,
    AppClient,
    AppSettings,
    Hook,
    HookSubscriber,
    PlatformClient,
    app_environment,
    current_trace,
    log_line,
    pushed_hooks,
    read_app_identity,
    serve_app,
    stop_on_signals,
    storage_path,
    trigger_hook,
)

APP = "com.example.trial"
environment = app_environment()
own: dict[str, Any] = {"app_name": APP, "private_key": read_app_identity().private_key}
grpc_url = f"http://{environment.grpc_address}"
platform = PlatformClient(grpc_url=grpc_url, **own)
client = AppClient(http_url=environment.http_url, **own)
settings = AppSettings(environment=environment, **own)
received: list[object] = []


def keep(hook: Hook) -> None:
    received.append([hook.name, hook.source_app, hook.data])


def trigger(call: AppCall) -> AppAnswer:
    log_line("info", "triggering")
    data = call.json()
    subscribers = [trigger_hook(platform, f"{APP}.{name}", data).subscribers for name in ("made", "posted")]
    return AppAnswer({"subscribers": subscribers, "hasTrace": current_trace().traceparent is not None})


def update(call: AppCall) -> AppAnswer:
    settings.update(call.json())
    return AppAnswer(dict(settings.values))


def show_caller(call: AppCall) -> AppAnswer:
    return AppAnswer({"app": call.caller.app_name, "port": environment.port, "storage": storage_path("data").is_dir()})


def count(run: ActivityRun) -> object:
    return {"total": sum(range(run.input + 1)), "attempt": run.attempt}


def wait(run: ActivityRun) -> object:
    run.progress(0.5, "waiting")
    run.canceled.wait()
    raise RuntimeError("interrupted")


app = serve_app(
    host=environment.host,
    port=environment.port,
    routes={
        "GET /settings": lambda _: AppAnswer(dict(settings.values)),
        "PUT /settings": update,
        "GET /hooks": lambda _: AppAnswer(received),
        "POST /hooks": pushed_hooks(platform, keep),
        "POST /trigger": trigger,
        "GET /self": lambda _: AppAnswer(client.fetch(f"/api/apps/{APP}/caller").json()),
        "GET /caller": show_caller,
    },
)
subscriber = HookSubscriber(grpc_url=grpc_url, **own).on_hook(f"{APP}.made", keep)
worker = ActivityWorker(grpc_url=grpc_url, **own).activity("count", count)
worker.activity("wait", wait, ActivityOptions(max_retries=0, timeout=60, input_schema={"type": "null"}))
subscriber.start()
worker.start()
stop_on_signals(subscriber.stop, worker.stop, app.stop, settings.close, platform.close)
