"""Requests that schemathesis does not find in the OpenAPI document."""

from itertools import count

import schemathesis

# The settings and the permission of the apps that the test registers.
SETTINGS = [{"title": "one"}, {"count": 7}, {"title": None}, {"secret": "two"}]
SCOPES = ["audit:view"]
COMMANDS = ("/install", "/upgrade", "/rollback", "/redeploy")

requests = count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changes a share of the requests. What they violate is judged again afterwards."""
    number = next(requests)
    if number % 3 == 0 and isinstance(case.body, dict):
        case.body = known(case.path, number, case.body)
    key = case.headers.get("Idempotency-Key")
    # The generator repeats short keys, and a key is for one request.
    if number % 3 and key and len(key) < 200 and all("!" <= character <= "~" for character in key):
        case.headers["Idempotency-Key"] = f"{key}-{number}"
    if number % 4 == 0:
        case.headers["Accept"] = "application/json, application/problem+json"
    elif number % 4 == 1 and case.path == "/api/v2/events":
        case.headers["Accept"] = "text/event-stream"
        # A stream ends when its client leaves.
        kwargs["timeout"] = 1


def known(path, number, body):
    """Returns a body that the apps accept, for the operations that refuse almost every generated one."""
    if path.endswith("/approvals"):
        return {"scopes": SCOPES}
    if "/settings" in path:
        return {"values": SETTINGS[number // 3 % len(SETTINGS)]}
    # Without the digest of a plan and without a version.
    if path.endswith(COMMANDS):
        return {}
    return body


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Accepts what no schema says: a text with NUL is refused everywhere (docs/interface/rest.md#requests)."""
    return failure.code != "ST202" or response.status_code != 400 or "NUL character" not in response.text
