import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "@appserver/options";
import { readServeConfig } from "./serve-config.ts";

const required = {
  APPSERVER_DB_PASSWORD: "canary-password",
  APPSERVER_SETTINGS_ENCRYPTION_KEY: "01".repeat(32),
  APPSERVER_KRATOS_PUBLIC_URL: "http://kratos:4433",
  APPSERVER_OPENFGA_API_URL: "http://openfga:8080",
};

function refusal(environment: Readonly<Record<string, string>>, flags = {}): string {
  try {
    readServeConfig(flags, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail("the configuration was taken");
}

test("all missing required options are reported together; the other options have their defaults", () => {
  const message = refusal({});
  for (const name of Object.keys(required)) assert.match(message, new RegExp(`^  ${name} .*missing`, "m"));
  const config = readServeConfig({}, required);
  const { server, database, cache, broker, graphql } = config;
  assert.deepEqual([server.httpPort, server.grpcPort, server.tls, server.grpcTls], [8080, 9090, undefined, undefined]);
  assert.deepEqual([database.maxOpenConnections, database.maxIdleConnections, database.connectionLifetimeMs], [25, 5, 300_000]);
  assert.deepEqual([cache.ttlMs, cache.maxSizeBytes], [300_000, 1e8]);
  assert.deepEqual([broker.driver, broker.maxRetries, broker.prefetchCount], ["postgres", 5, 10]);
  assert.deepEqual([graphql.auth, graphql.playgroundEnabled, server.maxHeaderBytes], ["required", false, 1_048_576]);
  assert.deepEqual(
    [server.readTimeoutMs, server.writeTimeoutMs, server.idleTimeoutMs, server.shutdownTimeoutMs],
    [30_000, 30_000, 120_000, 30_000],
  );
  assert.ok(Object.isFrozen(config) && Object.isFrozen(server) && Object.isFrozen(config.settingsEncryption.encryptionKeys));
});

test("permissions on other apps need an approval unless the operator limits them to those that manifests declare", () => {
  const rule = (more = {}): string => readServeConfig({}, { ...required, ...more }).permissions.crossAppApproval;
  assert.deepEqual([rule(), rule({ APPSERVER_PERMISSIONS_CROSS_APP_APPROVAL: "declared" })], ["always", "declared"]);
  assert.match(refusal({ ...required, APPSERVER_PERMISSIONS_CROSS_APP_APPROVAL: "never" }), /always or declared/);
});

test("pages of the public URL have the platform's origin, whatever host a proxy sends", () => {
  const environment = {
    ...required,
    APPSERVER_PUBLIC_URL: "https://apps.example.com/",
    APPSERVER_ALLOWED_ORIGINS: "https://a.test",
  };
  assert.deepEqual(readServeConfig({}, environment).server.allowedOrigins, ["https://apps.example.com", "https://a.test"]);
});

test("the newest key encrypts; a key without an id is the oldest", () => {
  const APPSERVER_SETTINGS_ENCRYPTION_KEYS = `b:${"02".repeat(32)},a:${"03".repeat(32)}`;
  const ids = (environment: Readonly<Record<string, string>>): readonly string[] =>
    readServeConfig({}, environment).settingsEncryption.encryptionKeys.map(({ id, key }) => `${id} ${key[0]}`);
  assert.deepEqual(ids(required), ["default 1"]);
  assert.deepEqual(ids({ ...required, APPSERVER_SETTINGS_ENCRYPTION_KEYS }), ["b 2", "a 3", "default 1"]);
  assert.deepEqual(ids({ ...required, APPSERVER_SETTINGS_ENCRYPTION_KEY: "", APPSERVER_SETTINGS_ENCRYPTION_KEYS }), [
    "b 2",
    "a 3",
  ]);
  const clash = { ...required, APPSERVER_SETTINGS_ENCRYPTION_KEYS: `default:${"02".repeat(32)}` };
  assert.match(
    refusal(clash),
    /APPSERVER_SETTINGS_ENCRYPTION_KEYS=\*\*\*: APPSERVER_SETTINGS_ENCRYPTION_KEY already has the id default/,
  );
});

test("replicas with the same encryption key derive the same MAC key, which differs from the encryption key", () => {
  const key = (environment = {}): Buffer => readServeConfig({}, { ...required, ...environment }).cache.macKey;
  assert.deepEqual(key(), key());
  assert.equal(key().length, 32);
  assert.notDeepEqual(key(), Buffer.from(required.APPSERVER_SETTINGS_ENCRYPTION_KEY, "hex"));
  assert.deepEqual(key({ APPSERVER_CACHE_MAC_KEY: "ff".repeat(32) }), Buffer.alloc(32, 0xff));
});

test("TLS needs its files, with contents of the right kind", () => {
  const missing = refusal({ ...required, APPSERVER_TLS_ENABLED: "true", APPSERVER_GRPC_CLIENT_CERTIFICATES: "required" });
  assert.match(missing, /APPSERVER_TLS_CERT_FILE .*missing; required if TLS is enabled/);
  assert.match(missing, /APPSERVER_TLS_KEY_FILE .*missing/);
  const wrong = refusal({ ...required, APPSERVER_TLS_CERT_FILE: import.meta.filename, APPSERVER_TLS_KEY_FILE: "/nowhere" });
  assert.match(wrong, /APPSERVER_TLS_CERT_FILE=.*certificates in PEM; the file contains none/);
  assert.match(wrong, /APPSERVER_TLS_KEY_FILE="\/nowhere": .*ENOENT/);
  const withoutTls = refusal({ ...required, APPSERVER_GRPC_CLIENT_CERTIFICATES: "optional" });
  assert.match(withoutTls, /APPSERVER_GRPC_CLIENT_CERTIFICATES="optional": expected off, or TLS on the gRPC port/);
});

test("contradictory options are refused", () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ APPSERVER_RABBITMQ_ENABLED: "true" }, /APPSERVER_RABBITMQ_URL .*missing/],
    [
      { APPSERVER_BROKER_SERVER_QUEUE_PREFIX: "orchestrator.subscriber." },
      /ORCHESTRATOR_QUEUE_PREFIX .*expected a prefix other than server_queue_prefix/,
    ],
    [{ APPSERVER_GRAPHQL_AUTH: "off" }, /APPSERVER_GRAPHQL_AUTH="off": .*loopback/],
    [{ APPSERVER_REGISTRATION: "ca" }, /APPSERVER_REGISTRATION_CA_FILE .*missing/],
    [{ APPSERVER_REGISTRY_FOLDER: "/images" }, /APPSERVER_REGISTRY_ADDRESS .*missing; required if registry\.folder/],
    [
      { APPSERVER_REGISTRY_FOLDER: "/images", APPSERVER_REGISTRY_ADDRESS: "a:1", APPSERVER_REGISTRY_KEEP_UNUSED: "59m" },
      /APPSERVER_REGISTRY_KEEP_UNUSED.* expected at least 1h/,
    ],
    [{ APPSERVER_DB_MAX_OPEN_CONNECTIONS: "2" }, /APPSERVER_DB_MAX_IDLE_CONNECTIONS .*no more than max_open_connections \(2\)/],
  ];
  for (const [given, expected] of cases) {
    const message = refusal({ ...required, ...given });
    assert.match(message, expected);
    assert.doesNotMatch(message, /canary/);
  }
  const local = { ...required, APPSERVER_GRAPHQL_AUTH: "off", APPSERVER_BIND_ADDRESS: "127.0.0.1" };
  assert.equal(readServeConfig({}, local).graphql.auth, "off");
});

test("several processes need a shared cache, unless the operator accepts separate limits in each process", () => {
  const alone = { ...required, APPSERVER_REDIS_ENABLED: "false" };
  const message = refusal({ ...alone, APPSERVER_WORKERS: "2" });
  assert.match(message, /APPSERVER_WORKERS="2": expected 1 or auto instead of 2 without a shared cache/);
  for (const more of [
    { APPSERVER_WORKERS: "1" },
    { APPSERVER_WORKERS: "auto" },
    { APPSERVER_WORKERS: "2", APPSERVER_CACHE_ACCEPT_UNSHARED: "true" },
  ])
    assert.equal(readServeConfig({}, { ...alone, ...more }).cache.driver, "memory");
  assert.equal(readServeConfig({}, { ...required, APPSERVER_WORKERS: "2" }).server.workers, 2);
});

test("an unusual option is a warning", () => {
  const { warnings } = readServeConfig({}, { ...required, APPSERVER_RABBITMQ_URL: "amqp://h", APPSERVER_HTTP_PROT: "1" });
  assert.match(
    warnings.join("\n"),
    /only people and service accounts register apps\n.*RABBITMQ_URL is given, but .*\n.*did you mean APPSERVER_HTTP_PORT\?/,
  );
});

test("OPENFGA_STORE_ID and OPENFGA_MODEL_ID are read too", () => {
  const { drivers } = readServeConfig({}, { ...required, OPENFGA_STORE_ID: "s", OPENFGA_MODEL_ID: "m" });
  const { storeId, modelId } = drivers.authorization.options;
  assert.deepEqual([storeId, modelId], ["s", "m"]);
});

test("a driver is chosen by name, or by its switch", () => {
  const chosen = (more: Readonly<Record<string, string>>) => {
    const { cache, broker } = readServeConfig({}, { ...required, APPSERVER_RABBITMQ_URL: "amqp://h", ...more });
    return [cache.driver, broker.driver];
  };
  assert.deepEqual(chosen({}), ["redis", "postgres"]);
  assert.deepEqual(chosen({ APPSERVER_CACHE_DRIVER: "memory", APPSERVER_BROKER_DRIVER: "rabbitmq" }), ["memory", "rabbitmq"]);
  assert.deepEqual(chosen({ APPSERVER_REDIS_ENABLED: "false", APPSERVER_RABBITMQ_ENABLED: "true" }), ["memory", "rabbitmq"]);
  assert.deepEqual(chosen({ APPSERVER_CACHE_DRIVER: "redis", APPSERVER_REDIS_ENABLED: "true" }), ["redis", "postgres"]);
});

test("an option of an identity driver is required with that driver only, and a driver without passwords is refused", () => {
  const { APPSERVER_KRATOS_PUBLIC_URL: _, ...others } = required;
  assert.match(refusal(others), /APPSERVER_KRATOS_PUBLIC_URL .*missing; required if identity\.driver is kratos/);
  const message = refusal({ ...others, APPSERVER_IDENTITY_DRIVER: "dev" });
  assert.match(
    message,
    /APPSERVER_IDENTITY_DRIVER="dev": expected kratos or accounts: dev is for appserver dev only, because its users have no passwords/,
  );
  assert.doesNotMatch(message, /KRATOS/);
});
