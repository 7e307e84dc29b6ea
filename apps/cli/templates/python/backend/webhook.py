"""The webhook of a chat."""

import json
from threading import Thread
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from appserver_sdk import log_line

from .tasks import Task

TIMEOUT = 5.0


def post_task(url: str | None, task: Task) -> None:
    """Posts a new task, in a thread of its own. A failure is only logged: the task is stored."""
    if url is not None:
        Thread(target=_post, args=(url, task), daemon=True).start()


def _post(url: str, task: Task) -> None:
    body = json.dumps({"text": f"New task: {task.title}"}).encode()
    try:
        with urlopen(Request(url, body, {"content-type": "application/json"}), timeout=TIMEOUT):
            pass
    except (OSError, ValueError) as error:
        # Without the address, which is a secret.
        reason = str(error) if isinstance(error, HTTPError) else type(error).__name__
        log_line("warn", "posting a task failed", task=task.id, reason=reason)
