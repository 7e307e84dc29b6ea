import assert from "node:assert/strict";
import { resolve } from "node:path";
import { before, test } from "node:test";
import { ConfigError } from "@appserver/options";
import { testApp } from "@appserver/testing/kit";
import { builtInDrivers } from "./drivers/built-in-drivers.ts";
import { endsTls, httpPortOf, type LocalParts, readUpConfig, serveConfigOfUp, type UpConfig } from "./up-config.ts";
import { usesAcme } from "./up-schema.ts";

const https = { APPSERVER_PUBLIC_URL: "https://apps.example.com" };
const ownCertificate = { APPSERVER_TLS_CERT_FILE: "/tls/certificate.pem", APPSERVER_TLS_KEY_FILE: "/tls/key.pem" };
const processes = { APPSERVER_CONTAINERS_DRIVER: "process" };

type Environment = Readonly<Record<string, string>>;

/** Files of an operator. */
const files = new Map<string, string>();
before(async () => {
  const { keys } = await testApp({ name: "com.example.certified" });
  files.set("/tls/certificate.pem", keys.certificate);
  files.set("/tls/key.pem", keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
});

function configOf(environment: Environment, { flags = {}, hasEngine = true } = {}): UpConfig {
  const readFile = (path: string) => Buffer.from(files.get(path) ?? assert.fail(path));
  return readUpConfig(flags, environment, readFile, builtInDrivers, () => hasEngine);
}

function refusal(environment: Environment, machine = {}): string {
  try {
    configOf(environment, machine);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail("the configuration was taken");
}

test("the public URL is the only option that has no default", () => {
  assert.match(refusal({}), /^ {2}APPSERVER_PUBLIC_URL \(or --public-url, .*missing[^\n]*$/m);
  assert.equal(refusal({}).split("\n").length, 2);
  const config = configOf({}, { flags: { "public-url": "https://apps.example.com" } });
  const { authorization, cache, containers, identity } = config.drivers;
  assert.deepEqual(
    [authorization, config.drivers.broker, cache, containers, identity].map(({ choice }) => choice),
    ["embedded", "postgres", "memory", "docker", "accounts"],
  );
  assert.deepEqual([config.up.dataDir, config.apps.requireDigest, config.warnings], ["/var/lib/appserver", true, []]);
});

test("the public URL and certificates say which port browsers use, and where TLS ends", () => {
  const seen = (environment: Environment) => {
    const config = configOf(environment);
    return [httpPortOf(config), endsTls(config), usesAcme(config)];
  };
  const behindProxy = { ...https, APPSERVER_ACME_ENABLED: "false" };
  for (const [what, environment, expected] of [
    ["ACME", https, [443, true, true]],
    ["ACME at another port", { APPSERVER_PUBLIC_URL: "https://apps.example.com:8443" }, [8443, true, true]],
    ["a certificate", { ...https, ...ownCertificate }, [443, true, false]],
    ["a proxy in front", behindProxy, [8080, false, false]],
    ["a proxy and a port", { ...behindProxy, APPSERVER_HTTP_PORT: "9000" }, [9000, false, false]],
    ["no TLS", { APPSERVER_PUBLIC_URL: "http://127.0.0.1:3000" }, [3000, false, false]],
    ["no TLS at the default port", { APPSERVER_PUBLIC_URL: "http://apps.internal" }, [80, false, false]],
  ] as const)
    assert.deepEqual(seen(environment), expected, what);
});

test("options that contradict each other are refused with what was expected", () => {
  const { APPSERVER_TLS_CERT_FILE, APPSERVER_TLS_KEY_FILE } = ownCertificate;
  for (const [environment, message] of [
    [{ ...https, APPSERVER_TLS_CERT_FILE }, /APPSERVER_TLS_KEY_FILE .*missing; required with tls_cert_file/],
    [{ ...https, APPSERVER_TLS_KEY_FILE }, /APPSERVER_TLS_CERT_FILE .*missing; required with tls_key_file/],
    [{ ...https, ...ownCertificate, APPSERVER_ACME_ENABLED: "true" }, /APPSERVER_TLS_CERT_FILE.*or acme.enabled false/],
    [
      { APPSERVER_PUBLIC_URL: "http://apps.example.com", APPSERVER_ACME_ENABLED: "true" },
      /APPSERVER_PUBLIC_URL="http:\/\/apps.example.com": expected https and a name of DNS/,
    ],
    // No authority signs an address.
    [{ APPSERVER_PUBLIC_URL: "https://192.0.2.1" }, /APPSERVER_PUBLIC_URL="https:\/\/192.0.2.1": expected https and a name/],
    [{ ...https, APPSERVER_DB_DRIVER: "external" }, /APPSERVER_DB_PASSWORD .*required if database.driver is external/],
    [{ ...https, ...processes }, /APPSERVER_CONTAINERS_DRIVER="process": expected --allow-processes with it/],
    [
      { ...https, APPSERVER_GRAPHQL_AUTH: "off", APPSERVER_BIND_ADDRESS: "127.0.0.1" },
      /APPSERVER_GRAPHQL_AUTH="off": expected optional or required/,
    ],
    [{ ...https, APPSERVER_REGISTRY_KEEP_UNUSED: "1m" }, /APPSERVER_REGISTRY_KEEP_UNUSED="1m": expected at least 1h/],
  ] as const)
    assert.match(refusal(environment), message);
});

test("without an engine the start is refused, unless the operator allows apps as processes", () => {
  const choice = (machine: object, environment = {}) =>
    configOf({ ...https, ...environment }, machine).drivers.containers.choice;
  const allowed = { "allow-processes": true };
  assert.match(
    refusal(https, { hasEngine: false }),
    /^There is no container engine at \/var\/run\/docker\.sock\. .*APPSERVER_DOCKER_SOCKET_PATH.*--allow-processes.*read the data folder/,
  );
  assert.match(
    refusal({ ...https, APPSERVER_DOCKER_SOCKET_PATH: "/run/other.sock" }, { hasEngine: false }),
    /engine at \/run\/other\.sock/,
  );
  assert.equal(choice({ hasEngine: false, flags: allowed }), "process");
  assert.equal(choice({ flags: allowed }), "docker", "an engine is better than processes");
  assert.equal(choice({ flags: allowed }, processes), "process");
});

test("the server has the parts of the data folder, and no port of gRPC with TLS", () => {
  const config = configOf({ ...https, APPSERVER_INTERNAL_PORT: "9081" }, { flags: { data: "data" } });
  assert.equal(config.up.dataDir, resolve("data"));
  const database = { host: "127.0.0.1", port: 5544, user: "appserver", password: "made", name: "appserver" };
  const encryptionKeys = [{ id: "k1", key: Buffer.alloc(32, 1) }];
  const local: LocalParts = { database, encryptionKeys, certificate: undefined, imageFolder: "/data/registry" };
  const serve = serveConfigOfUp(config, local);
  assert.partialDeepStrictEqual(serve, {
    database,
    settingsEncryption: { encryptionKeys },
    registry: { folder: "/data/registry", address: "127.0.0.1:9081" },
    acme: { enabled: false },
  });
  assert.deepEqual(serve.server.allowedOrigins, ["https://apps.example.com"]);
  assert.deepEqual([serve.server.tls, serve.server.grpcTls], [undefined, undefined], "no certificate was given");
});
