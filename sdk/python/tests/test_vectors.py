"""The test vectors that every implementation of the signatures passes."""

import json
import unittest
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_private_key

from appserver_sdk import (
    ForwardSignatureError,
    PushSignatureError,
    forward_key,
    sign_request,
    verify_forwarded,
    verify_push,
)

VECTORS = json.loads((Path(__file__).parents[3] / "contracts" / "vectors.json").read_text("utf-8"))


class VectorsTest(unittest.TestCase):
    def test_forwarded_requests(self) -> None:
        for vector in VECTORS["forwardedRequests"]:
            with self.subTest(vector["name"]):
                key, headers = forward_key(vector["secret"]), list(vector["headers"].items())
                if vector["isValid"]:
                    verify_forwarded(key, vector["method"], vector["target"], headers, vector["now"])
                else:
                    with self.assertRaises(ForwardSignatureError):
                        verify_forwarded(key, vector["method"], vector["target"], headers, vector["now"])

    def test_posts(self) -> None:
        for vector in VECTORS["posts"]:
            with self.subTest(vector["name"]):
                headers, body = vector["headers"].items(), vector["body"].encode()
                # A run has other fields than a hook, whose signature is the same.
                if vector["isValid"] and "type" in json.loads(body):
                    verify_push(vector["secret"], headers, body, vector["now"])
                elif not vector["isValid"]:
                    with self.assertRaises(PushSignatureError):
                        verify_push(vector["secret"], headers, body, vector["now"])

    def test_signed_requests(self) -> None:
        signed = VECTORS["signedRequests"]
        private_key = load_pem_private_key(signed["privateKey"].encode(), None)
        for vector in signed["requests"]:
            with self.subTest(vector["name"]):
                at = datetime.fromisoformat(vector["headers"]["x-request-timestamp"])
                headers = sign_request(
                    app_name=vector["appName"],
                    private_key=private_key,
                    method=vector["method"],
                    url=vector["url"],
                    body=vector["body"].encode(),
                    at=at,
                )
                self.assertEqual(headers, vector["headers"])
