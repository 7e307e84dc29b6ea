import base64
import tempfile
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from appserver_sdk import app_environment, forward_key, read_app_identity, read_forward_secret, storage_path


class DeploymentTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.own = Path(folder.name, "own")
        self.deployment = Path(folder.name, "deployment")
        self.own.mkdir()
        self.deployment.mkdir()
        self.env = {"APP_IDENTITY_DIR": str(self.deployment)}

    def test_variables_have_defaults(self) -> None:
        environment = app_environment({})
        self.assertEqual((environment.app_id, environment.grpc_address), (None, None))
        self.assertEqual((environment.host, environment.port), ("0.0.0.0", 3000))
        self.assertEqual(environment.http_url, "http://127.0.0.1:8080")
        self.assertEqual(environment.identity_folder, Path("/run/appserver"))

    def test_a_name_that_is_missing_is_refused_where_it_is_read(self) -> None:
        self.assertEqual(app_environment({"APP_NAME": "com.example.todos"}).app_name, "com.example.todos")
        with self.assertRaisesRegex(ValueError, "^APP_NAME is not set: .* set it to the `name` of its app.yaml$"):
            _ = app_environment({}).app_name

    def test_a_port_is_a_number(self) -> None:
        self.assertEqual(app_environment({"PORT": "0"}).port, 0)
        for port in ("", "-1", "65536", "8o80", "²"):
            with self.subTest(port), self.assertRaisesRegex(ValueError, "PORT must be 0 to 65535"):
                app_environment({"PORT": port})

    def test_the_key_of_the_deployment_comes_before_that_of_the_publisher(self) -> None:
        with self.assertRaisesRegex(ValueError, "the app has no key: expected key.pem in .*deployment or .*own"):
            read_app_identity(self.env, self.own)
        for folder in (self.own, self.deployment):
            key = generate_private_key(65_537, 2_048)
            (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            identity = read_app_identity(self.env, self.own)
            self.assertEqual(identity.folder.name, folder.name)
            self.assertEqual(identity.private_key.private_numbers(), key.private_numbers())
            (folder / "certificate.pem").write_text(folder.name)
            self.assertEqual(identity.certificate(), folder.name)

    def test_another_kind_of_key_is_refused(self) -> None:
        key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (self.own / "key.pem").write_bytes(key)
        with self.assertRaisesRegex(ValueError, "own/key.pem is not an RSA key"):
            read_app_identity(self.env, self.own)

    def test_the_secret_is_that_of_the_deployment(self) -> None:
        self.assertIsNone(read_forward_secret(self.env))
        (self.deployment / "forward-secret").write_text(base64.b64encode(bytes(32)).decode() + "\n")
        self.assertEqual(forward_key(read_forward_secret(self.env) or ""), bytes(32))

    def test_a_storage_has_the_path_that_the_platform_passes(self) -> None:
        self.assertEqual(storage_path("data-2", {"APP_STORAGE_DATA_2": "/data"}), Path("/data"))
        with self.assertRaisesRegex(ValueError, "APP_STORAGE_DATA is not set"):
            storage_path("data", {})
        for name in ("", "Data", "data-", "a" * 41, "data\n"):
            with self.subTest(name), self.assertRaisesRegex(ValueError, "not the name of a storage"):
                storage_path(name, {})
