import assert from "node:assert/strict";
import { test } from "node:test";
import type { Option } from "@appserver/options";
import { builtInDrivers } from "./built-in-drivers.ts";
import { optionSections } from "./option-sections.ts";

const sections = optionSections(builtInDrivers);
const options: readonly (readonly [string, Option])[] = Object.values(sections).flatMap((section) =>
  Object.values(section.options).map((option) => [`${section.yaml}.${option.yaml}`, option] as const),
);

test("every default can be read, and no secret has a default", () => {
  const wrong = options.filter(([, { type, default: text }]) => text && !("value" in type.read(text, assert.fail)));
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    options.filter(([, option]) => option.secret && option.default !== undefined),
    [],
  );
});

test("no two options share a variable, a flag or a place in the file", () => {
  const names = options.flatMap(([place, { env, aliases = [], flag, secret, inFile, switch: choice }]) => [
    place,
    ...(flag === undefined ? [] : [`--${flag}`]),
    ...(choice === undefined ? [] : [choice.env, `${choice.section.yaml}.${choice.yaml}`]),
    ...[env, ...aliases].flatMap((name) => (name === undefined ? [] : secret || inFile ? [name, `${name}_FILE`] : [name])),
  ]);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  assert.deepEqual(twice, []);
});

test("the options have the expected environment variables and defaults", () => {
  const defaults = Object.fromEntries(
    options.flatMap(([, { env, aliases = [], default: text, switch: choice }]) => [
      ...[env, ...aliases].flatMap((name) => (name === undefined ? [] : [[name, text]])),
      ...(choice ? [[choice.env, String(text === choice.on)]] : []),
    ]),
  );
  const specified = {
    APPSERVER_DB_HOST: "localhost",
    APPSERVER_DB_PORT: "5432",
    APPSERVER_DB_USER: "appserver",
    APPSERVER_DB_NAME: "appserver",
    APPSERVER_DB_PASSWORD: undefined,
    APPSERVER_DB_SSLMODE: "disable",
    APPSERVER_HTTP_PORT: "8080",
    APPSERVER_GRPC_PORT: "9090",
    APPSERVER_GRAPHQL_PLAYGROUND_ENABLED: "false",
    APPSERVER_GRPC_REFLECTION_ENABLED: "false",
    APPSERVER_LOG_LEVEL: "info",
    APPSERVER_REDIS_URL: "redis://localhost:6379",
    APPSERVER_RABBITMQ_ENABLED: "false",
    APPSERVER_RABBITMQ_URL: undefined,
    APPSERVER_RABBITMQ_MAX_RETRIES: "5",
    APPSERVER_RABBITMQ_PREFETCH_COUNT: "10",
    APPSERVER_KRATOS_PUBLIC_URL: undefined,
    APPSERVER_KRATOS_ADMIN_URL: undefined,
    APPSERVER_OPENFGA_API_URL: undefined,
    APPSERVER_OPENFGA_STORE_ID: undefined,
    // The driver for Kratos has the specified default.
    APPSERVER_SESSION_COOKIE_NAME: undefined,
    APPSERVER_SETTINGS_ENCRYPTION_KEY: undefined,
    APPSERVER_CACHE_TTL: "300",
    APPSERVER_DOCKER_ENABLED: "false",
    APPSERVER_EVENTBUS_ENABLED: "false",
    APPSERVER_DOCKER_SOCKET_PATH: "/var/run/docker.sock",
    APPSERVER_DOCKER_NETWORK_NAME: "appserver",
    APPSERVER_DOCKER_REGISTRY_URL: undefined,
    APPSERVER_DOCKER_REGISTRY_USERNAME: undefined,
    APPSERVER_DOCKER_REGISTRY_PASSWORD: undefined,
    APPSERVER_DOCKER_DEFAULT_CPU_SHARES: "1024",
    APPSERVER_DOCKER_DEFAULT_MEMORY_MB: "512",
    APPSERVER_DOCKER_PULL_TIMEOUT: "10m",
    APPSERVER_DOCKER_START_TIMEOUT: "2m",
    APPSERVER_DOCKER_STOP_TIMEOUT: "10s",
    APPSERVER_DOCKER_HEALTH_CHECK_INTERVAL: "30s",
    APPSERVER_DOCKER_HEALTH_CHECK_TIMEOUT: "5s",
    APPSERVER_DOCKER_HEALTH_CHECK_RETRIES: "3",
    APPSERVER_DOCKER_MAX_RESTARTS: "3",
    APPSERVER_DOCKER_DEFAULT_IMAGE_STAGE: "latest",
    APPSERVER_DOCKER_RECONCILE_TIMEOUT: "2m",
  };
  for (const [name, text] of Object.entries(specified)) {
    assert.ok(name in defaults, name);
    assert.equal(defaults[name], text, name);
  }
});

test("a switch stands for two values of its option", () => {
  for (const [place, { type, switch: choice }] of options) {
    if (choice === undefined) continue;
    for (const text of [choice.on, choice.off]) assert.deepEqual(type.read(text, assert.fail), { value: text }, place);
  }
});

test("the file has the expected sections and keys", () => {
  const places = new Set(options.map(([place]) => place));
  const keys = [
    ...["http_port", "grpc_port", "tls_enabled", "tls_cert_file", "tls_key_file", "http2_enabled", "read_timeout"],
    ...["write_timeout", "idle_timeout", "shutdown_timeout", "max_header_bytes"],
  ];
  for (const key of keys) assert.ok(places.has(`server.${key}`), key);
  const names = new Set(Object.values(sections).flatMap(({ yaml, aliases = [] }) => [yaml, ...aliases]));
  for (const name of ["server", "database", "cache", "rabbitmq", "eventbus", "auth", "auth_services", "telemetry"]) {
    assert.ok(names.has(name), name);
  }
});
