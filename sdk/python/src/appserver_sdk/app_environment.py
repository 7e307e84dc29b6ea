"""The variables that the platform sets for an app (docs/interface/containers.md#environment)."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_CONTAINER_IDENTITY = "/run/appserver"


@dataclass(frozen=True, slots=True)
class AppEnvironment:
    # UUID. None if the platform did not start the app.
    app_id: str | None
    _app_name: str | None
    # Base address of the platform for signed calls.
    http_url: str
    # "127.0.0.1:9090". None if the platform did not start the app.
    grpc_address: str | None
    graphql_url: str | None
    # Port to listen on.
    port: int
    # Folder with the identity that the platform made for this deployment (docs/interface/containers.md#identity).
    identity_folder: Path
    # Address to listen on. Default: all addresses, because a container is reachable only through the platform's network.
    host: str

    @property
    def app_name(self) -> str:
        """Raises ValueError if the platform did not start the app and APP_NAME is not set: an app that just serves needs no name."""
        if self._app_name:
            return self._app_name
        raise ValueError(
            "APP_NAME is not set: the platform sets it for the apps that it runs. For an app that you start yourself, set it to the "
            "`name` of its app.yaml"
        )


def app_environment(env: Mapping[str, str] = os.environ) -> AppEnvironment:
    """Reads the platform's variables and adds defaults. Raises ValueError if PORT is invalid."""
    port = env.get("PORT", "3000")
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ValueError(f"PORT must be 0 to 65535, got {port!r}")
    return AppEnvironment(
        app_id=env.get("APP_ID"),
        _app_name=env.get("APP_NAME"),
        http_url=env.get("APPSERVER_HTTP_URL", "http://127.0.0.1:8080"),
        grpc_address=env.get("APPSERVER_GRPC_ADDRESS"),
        graphql_url=env.get("APPSERVER_GRAPHQL_URL", env.get("APPSERVER_GRAPHQL_HTTP")),
        port=int(port),
        identity_folder=Path(env.get("APP_IDENTITY_DIR") or _CONTAINER_IDENTITY),
        host=env.get("HOST", "0.0.0.0"),
    )
