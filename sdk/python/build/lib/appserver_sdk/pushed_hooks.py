"""A route for hooks that the platform posts."""

import threading
import time
from collections.abc import Callable

from .hooks import DropHook, Hook, HookHandler, PushSignatureError, verify_push
from .platform_client import PlatformClient
from .serve_app import AppAnswer, AppCall, AppHandler, HttpError

# Minimum time between two requests for the secret, so that forged calls do not cause calls to the platform.
_SECRET_AGE_SECONDS = 60.0


def pushed_hooks(client: PlatformClient, handler: HookHandler) -> AppHandler:
    """Returns a handler of `serve_app` for hooks that the platform posts: `"POST /hooks": pushed_hooks(client, handler)`. It reads the
    secret from the platform and checks the signature. If `handler` raises, the response is 500 and the hook is delivered again. For
    DropHook the response is 200.
    """
    secret = _PushSecret(client)

    def handle(call: AppCall) -> AppAnswer:
        try:
            handler(secret.verify(lambda known: verify_push(known, call.headers.items(), call.body)))
        except PushSignatureError as error:
            raise HttpError(401, str(error)) from None
        except DropHook:
            pass
        return AppAnswer({"ok": True})

    return handle


class _PushSecret:
    """The app's secret, read at its first use and again when a signature does not match."""

    def __init__(self, client: PlatformClient) -> None:
        self._client = client
        self._secret: str | None = None
        self._read_at = 0.0
        self._lock = threading.Lock()

    def verify(self, check: Callable[[str], Hook]) -> Hook:
        with self._lock:
            known = self._secret or self._read()
        try:
            return check(known)
        except PushSignatureError:
            with self._lock:
                if time.monotonic() - self._read_at < _SECRET_AGE_SECONDS:
                    raise
                known = self._read()
            return check(known)

    def _read(self) -> str:
        self._secret = str(self._client.hooks.GetPushSecret().secret)
        self._read_at = time.monotonic()
        return self._secret
