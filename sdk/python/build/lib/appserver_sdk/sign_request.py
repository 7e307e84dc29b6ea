"""Signatures of the app's own requests (docs/interface/signatures.md#signed-requests)."""

import base64
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

from .log_line import timestamp


def sign_request(
    *, app_name: str, private_key: RSAPrivateKey, method: str, url: str, body: bytes = b"", at: datetime | None = None
) -> dict[str, str]:
    """Returns the three headers of a signed request: RSA PKCS#1 v1.5 with SHA-256 over method + url + timestamp + body. `url` is path
    and query exactly as they will be sent.
    """
    time = timestamp(at)
    signature = private_key.sign(f"{method.upper()}{url}{time}".encode() + body, PKCS1v15(), SHA256())
    return {
        "x-app-name": app_name,
        "x-request-timestamp": time,
        "x-app-signature": base64.b64encode(signature).decode(),
    }
