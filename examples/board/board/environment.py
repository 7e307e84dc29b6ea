"""What the platform passes to an app (docs/interface/containers.md#environment)."""

import base64
import os
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

_CONTAINER_IDENTITY = "/run/appserver"


@dataclass(frozen=True)
class Environment:
    app_name: str
    host: str
    port: int
    # Base address of the platform: "http://127.0.0.1:8080".
    http_url: str
    # "127.0.0.1:9090". None if the platform did not start the app.
    grpc_address: str | None
    # Signs the calls of this app.
    private_key: RSAPrivateKey
    # With it, the platform signs the requests that it forwards. None if the platform did not start the app.
    forward_secret: bytes | None
    # A folder that outlives this process.
    storage: Path
    # Maximum number of cards in progress.
    limit: int


def read_environment() -> Environment:
    """Reads the variables and files of this deployment. Raises ValueError or OSError if one is missing or malformed."""
    identity = Path(os.environ.get("APP_IDENTITY_DIR") or _CONTAINER_IDENTITY)
    return Environment(
        app_name=os.environ.get("APP_NAME", "com.example.board"),
        host=os.environ.get("HOST", "0.0.0.0"),
        port=_integer("PORT", "3000", 0, 65_535),
        http_url=os.environ.get("APPSERVER_HTTP_URL", "http://127.0.0.1:8080").rstrip("/"),
        grpc_address=os.environ.get("APPSERVER_GRPC_ADDRESS"),
        private_key=_private_key(identity),
        forward_secret=_forward_secret(identity),
        storage=Path(_required("APP_STORAGE_DATA")),
        limit=_integer("BOARD_LIMIT", "5", 1, 100),
    )


def _private_key(identity: Path) -> RSAPrivateKey:
    """The key that the platform made for this deployment, else the publisher's key, for an app that was started by hand."""
    for folder in (identity, Path(".")):
        file = folder / "key.pem"
        if not file.is_file():
            continue
        key = load_pem_private_key(file.read_bytes(), password=None)
        if not isinstance(key, RSAPrivateKey):
            raise ValueError(f"{file} is not an RSA key")
        return key
    raise ValueError(f"the app has no key: expected key.pem in {identity} or the working directory")


def _forward_secret(identity: Path) -> bytes | None:
    file = identity / "forward-secret"
    if not file.is_file():
        return None
    secret = base64.b64decode(file.read_text().strip(), validate=True)
    if len(secret) != 32:
        raise ValueError(f"{file} must be base64 of 32 bytes")
    return secret


def _required(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ValueError(f"{name} is not set: `storage` in app.yaml declares it, see README.md")
    return value


def _integer(name: str, default: str, least: int, most: int) -> int:
    text = os.environ.get(name, default)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise ValueError(f"{name} must be a number from {least} to {most}, got {text!r}")
    return int(text)
