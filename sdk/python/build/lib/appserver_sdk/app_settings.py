"""The app's settings (docs/interface/settings.md)."""

import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, overload

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from .app_environment import AppEnvironment
from .json_values import from_struct, to_struct
from .platform_client import PlatformClient
from .reconnecting_stream import Outgoing, ReconnectingStream, reason_of


class AppSettings:
    """The app's settings, kept current while the app runs. Any thread may use it.

    `values` has stored values, and defaults for the rest, by key. Secrets are in plain text, because the app reads its own. It is
    empty before the first values arrive, and stays so if the platform did not start the app. `ready` is set when they arrive.
    """

    def __init__(
        self,
        *,
        environment: AppEnvironment,
        app_name: str,
        private_key: RSAPrivateKey,
        on_change: Callable[[Mapping[str, Any]], None] | None = None,
        on_lost: Callable[[Exception], None] | None = None,
    ) -> None:
        """Watches the settings until `close`, and connects again after every loss. `on_change` gets the first values and those after
        every change, in a thread of the SDK. `on_lost` gets the error when the connection is lost; by default it is printed.
        """
        self.values: Mapping[str, Any] = {}
        self.ready = threading.Event()
        self._app_id = environment.app_id
        self._on_change = on_change
        self._on_lost = on_lost
        self._client: PlatformClient | None = None
        if environment.app_id is None or environment.grpc_address is None:
            text = f"settings of {app_name} are empty: the platform sets APP_ID and APPSERVER_GRPC_ADDRESS for the apps that it runs"
            print(text, file=sys.stderr, flush=True)
            return
        grpc_url = f"http://{environment.grpc_address}"
        self._client = PlatformClient(grpc_url=grpc_url, app_name=app_name, private_key=private_key)
        self._stream = ReconnectingStream[Any](
            open=self._open, take=self._take, lost=self._lost, first_pause=0.5, longest_pause=30
        )
        self._stream.start()

    def number(self, key: str, fallback: float) -> float:
        """Returns the value if it is a number, else `fallback`: an app must also run while the platform is unreachable."""
        value = self.values.get(key)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else fallback

    @overload
    def text(self, key: str) -> str | None: ...
    @overload
    def text(self, key: str, fallback: str) -> str: ...
    def text(self, key: str, fallback: str | None = None) -> str | None:
        """Returns the value if it is a text, else `fallback`."""
        value = self.values.get(key)
        return value if isinstance(value, str) else fallback

    def update(self, values: Mapping[str, Any]) -> None:
        """Merges values into the stored ones. None restores the default. Raises `grpc.RpcError` if the platform refuses a value."""
        if self._client is None:
            raise RuntimeError("the app was not started by a platform that keeps its settings")
        response = self._client.settings.UpdateSettings(app_id=self._app_id, values=to_struct(dict(values)))
        self._keep(from_struct(response.settings.values))

    def close(self) -> None:
        """Stops watching."""
        if self._client is not None:
            self._stream.stop()
            self._client.close()

    def _open(self, _outgoing: Outgoing[Any]) -> Any:
        assert self._client is not None
        return self._client.settings.WatchSettings(app_id=self._app_id)

    def _take(self, response: Any) -> None:
        self._keep(from_struct(response.settings.values))

    def _keep(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.ready.set()
        if self._on_change:
            self._on_change(values)

    def _lost(self, error: Exception, is_first: bool) -> None:
        if not is_first:
            return
        if self._on_lost:
            self._on_lost(error)
        else:
            print(f"could not read the settings; retrying: {reason_of(error)}", file=sys.stderr, flush=True)
