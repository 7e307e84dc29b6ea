"""The identity that a running app signs its calls with (docs/interface/containers.md#identity)."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from .app_environment import app_environment


@dataclass(frozen=True, slots=True)
class AppIdentity:
    private_key: RSAPrivateKey
    # The folder that it was read from.
    folder: Path

    def certificate(self) -> str:
        """Reads the certificate (PEM). The platform renews it while the app runs, so read it for each new connection."""
        return (self.folder / "certificate.pem").read_text()


def read_app_identity(env: Mapping[str, str] = os.environ, own_folder: str | Path = ".") -> AppIdentity:
    """Reads the identity of this app: the one that the platform made for this deployment, else the publisher's `key.pem` in
    `own_folder`, for development. Raises ValueError if there is neither, or if the key is not an RSA key.
    """
    folders = [app_environment(env).identity_folder, Path(own_folder).resolve()]
    for folder in folders:
        pem = _unless_missing(folder / "key.pem")
        if pem is None:
            continue
        key = load_pem_private_key(pem, password=None)
        if not isinstance(key, RSAPrivateKey):
            raise ValueError(f"{folder / 'key.pem'} is not an RSA key")
        return AppIdentity(key, folder)
    raise ValueError(f"the app has no key: expected key.pem in {' or '.join(map(str, folders))}")


def read_forward_secret(env: Mapping[str, str] = os.environ) -> str | None:
    """Returns the secret that the app shares with the platform. None if the platform did not start the app."""
    secret = _unless_missing(app_environment(env).identity_folder / "forward-secret")
    return None if secret is None else secret.decode("ascii")


def _unless_missing(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
