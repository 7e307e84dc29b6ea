"""The API of the app. Paths are relative to `base_path` in app.yaml."""

from appserver_sdk import AppAnswer, AppCall, HttpError


def hello(call: AppCall) -> AppAnswer:
    name, caller = call.params["name"], call.caller
    if name == "unknown":
        raise HttpError(404, "there is no such person")
    return AppAnswer({"hello": name, "from": caller.user_id or caller.app_name or "an anonymous visitor"})


routes = {"GET /hello/{name}": hello}
