import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isReservedEnvironmentName } from "@appserver/contracts/names";
import { AppError } from "@appserver/kernel";
import { containerEnvironment } from "./container-environment.ts";

const app = { id: "0193b8f0-0000-7000-8000-000000000001", name: "com.example.my-notes", version: "1.2.0", port: 3000 };
const access = { isolation: "shared" } as const;
const platform = {
  APPSERVER_DB_HOST: "db",
  APPSERVER_DB_PORT: "5432",
  APPSERVER_DB_NAME: "appserver",
  APPSERVER_DB_USER: "apps",
  APPSERVER_DB_PASSWORD: "secret",
  APPSERVER_DB_SSLMODE: "disable",
  APPSERVER_HTTP_URL: "http://platform:8080",
  APPSERVER_GRPC_ADDRESS: "platform:9090",
  APPSERVER_GRAPHQL_HTTP: "http://platform:8080/graphql",
  NODE_ENV: "production",
};
const collecting = { ...platform, APPSERVER_OTLP_ENDPOINT: "http://collector:4318" };

test("the environment contains exactly the listed variables (docs/interface/containers.md#environment)", () => {
  const upstreams = [{ name: "com.example.clock", url: "http://app-com.example.clock:3000" }];
  assert.deepEqual(containerEnvironment({ app, upstreams, platform, access, declared: {} }), {
    DB_HOST: "db",
    DB_PORT: "5432",
    DB_NAME: "appserver",
    DB_USER: "apps",
    DB_PASSWORD: "secret",
    DB_SSL_MODE: "disable",
    DATABASE_URL: "postgresql://apps:secret@db:5432/appserver?sslmode=disable",
    PGHOST: "db",
    PGPORT: "5432",
    PGDATABASE: "appserver",
    PGUSER: "apps",
    PGPASSWORD: "secret",
    PGSSLMODE: "disable",
    APPSERVER_DB_HOST: "db",
    APPSERVER_DB_PORT: "5432",
    APPSERVER_DB_NAME: "appserver",
    APPSERVER_DB_USER: "apps",
    APPSERVER_DB_PASSWORD: "secret",
    APPSERVER_DB_SSLMODE: "disable",
    APP_ID: app.id,
    APP_NAME: "com.example.my-notes",
    APPSERVER_HTTP_URL: "http://platform:8080",
    APPSERVER_GRPC_ADDRESS: "platform:9090",
    APPSERVER_GRAPHQL_URL: "http://platform:8080/graphql",
    APPSERVER_GRAPHQL_HTTP: "http://platform:8080/graphql",
    UPSTREAM_COM_EXAMPLE_MY_NOTES: "http://app-com.example.my-notes:3000",
    UPSTREAM_COM_EXAMPLE_CLOCK: "http://app-com.example.clock:3000",
    PORT: "3000",
    NODE_ENV: "production",
  });
});

test("the URL of the database escapes what has a meaning in it, and takes an IPv6 address and the folder of a socket", () => {
  const urlFor = (changes: Readonly<Record<string, string>>): string | undefined =>
    containerEnvironment({ app, upstreams: [], platform: { ...platform, ...changes }, access, declared: {} })["DATABASE_URL"];
  assert.equal(
    urlFor({ APPSERVER_DB_USER: "a@b", APPSERVER_DB_PASSWORD: "p:/?#%@", APPSERVER_DB_HOST: "::1" }),
    "postgresql://a%40b:p%3A%2F%3F%23%25%40@[::1]:5432/appserver?sslmode=disable",
  );
  assert.match(urlFor({ APPSERVER_DB_HOST: "/run/postgresql" }) ?? "", /@%2Frun%2Fpostgresql:5432\//);
});

test("an app sends its traces to the collector of the platform, which keeps the headers and credentials of it", () => {
  const telemetryWith = (endpoint: string | undefined) => {
    const variables = { ...platform, APPSERVER_OTLP_ENDPOINT: endpoint, APPSERVER_OTLP_HEADERS: "authorization=canary" };
    const environment = containerEnvironment({ app, upstreams: [], platform: variables, access, declared: {} });
    return Object.fromEntries(Object.entries(environment).filter(([name]) => /OTEL|OTLP/.test(name)));
  };
  assert.deepEqual(telemetryWith("http://collector:4318"), {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_SERVICE_NAME: "com.example.my-notes",
    OTEL_RESOURCE_ATTRIBUTES: "service.version=1.2.0",
  });
  for (const none of [undefined, "http://user:canary@collector:4318"]) assert.deepEqual(telemetryWith(none), {});
});

test("no secret of the platform is passed, whatever the orchestrator's environment contains", () => {
  const canary = "canary-7f3a";
  const secrets = [
    "POSTGRES_PASSWORD",
    "REDIS_PASSWORD",
    "REDIS_URL",
    "KRATOS_SECRETS_COOKIE",
    "KRATOS_SECRETS_CIPHER",
    "HYDRA_SYSTEM_SECRET",
    "HYDRA_PAIRWISE_SALT",
    "APPSERVER_SETTINGS_ENCRYPTION_KEY",
    "APPSERVER_CONTAINERS_REGISTRY_PASSWORD",
    "APPSERVER_KRATOS_ADMIN_URL",
    "APPSERVER_RABBITMQ_URL",
    "RABBITMQ_URL",
    "DB_PASSWORD",
    "PATH",
    "AWS_SECRET_ACCESS_KEY",
    "appserver_db_password",
    "XAPPSERVER_DB_PASSWORD",
  ];
  const environment = containerEnvironment({
    app,
    upstreams: [],
    access,
    declared: {},
    platform: { ...platform, ...Object.fromEntries(secrets.map((name) => [name, canary])) },
  });
  const arrived = Object.entries(environment).filter(([, value]) => value.includes(canary));
  assert.deepEqual(arrived, []);
});

describe("with a database of its own", () => {
  const more = {
    APPSERVER_REDIS_URL: "redis://:canary@cache",
    APPSERVER_EVENTBUS_URL: "amqp://canary@bus",
    APPSERVER_DB_PASSWORD: "canary",
    APPSERVER_DB_USER: "canary",
    APPSERVER_DB_SSL_KEY_FILE: "canary",
  };
  const login = { host: "apps-db", port: 5433, database: "app_notes", user: "app_notes_g1", password: "own" };
  const environmentWith = (redis: boolean) =>
    containerEnvironment({
      app,
      upstreams: [],
      platform: { ...platform, ...more },
      access: { isolation: "app", login, redis },
      declared: {},
    });

  test("the app gets its login under the names of the platform's, and no password of the platform", () => {
    const environment = environmentWith(false);
    for (const prefix of ["DB_", "APPSERVER_DB_"])
      assert.deepEqual(
        ["HOST", "PORT", "NAME", "USER", "PASSWORD"].map((name) => environment[`${prefix}${name}`]),
        ["apps-db", "5433", "app_notes", "app_notes_g1", "own"],
      );
    assert.deepEqual([environment["DB_SSL_MODE"], environment["APPSERVER_DB_SSLMODE"]], ["disable", "disable"]);
    assert.deepEqual(
      Object.entries(environment).filter(([name, value]) => value.includes("canary") || /REDIS|EVENTBUS/.test(name)),
      [],
    );
  });

  test("an app that the operator names gets Redis as well", () => {
    assert.deepEqual(
      Object.entries(environmentWith(true)).filter(([, value]) => value.includes("canary")),
      [["APPSERVER_REDIS_URL", more.APPSERVER_REDIS_URL]],
    );
  });
});

test("what the app declares arrives, never in place of a variable of the platform, all of which are reserved", () => {
  const declared = {
    LOG_LEVEL: "debug",
    DB_HOST: "evil",
    DATABASE_URL: "evil",
    OTEL_SERVICE_NAME: "evil",
    APP_ID: "evil",
    PORT: "1",
    UPSTREAM_COM_EXAMPLE_MY_NOTES: "evil",
  };
  const environment = containerEnvironment({ app, upstreams: [], platform: collecting, access, declared });
  assert.equal(environment["LOG_LEVEL"], "debug");
  assert.deepEqual(
    Object.values(environment).filter((value) => value === "evil"),
    [],
  );
  const { LOG_LEVEL: _own, ...ofPlatform } = environment;
  assert.deepEqual(
    Object.keys(ofPlatform).filter((name) => !isReservedEnvironmentName(name)),
    [],
  );
});

test("variables with the allowed prefixes are passed", () => {
  const more = { APPSERVER_REDIS_URL: "redis://cache", APPSERVER_EVENTBUS_ENABLED: "true", APPSERVER_DB_SCHEMA: "x" };
  const environment = containerEnvironment({ app, upstreams: [], access, declared: {}, platform: { ...platform, ...more } });
  for (const [name, value] of Object.entries(more)) assert.equal(environment[name], value);
});

test("missing configuration is refused with its texts (docs/interface/errors.md#orchestrator-errors)", () => {
  const refused = (missing: string, message: string): void => {
    const left = { ...platform, [missing]: undefined };
    const source = { app, upstreams: [], platform: left, access, declared: {} };
    assert.throws(() => containerEnvironment(source), new AppError("INVALID_REQUEST", message));
  };
  refused("APPSERVER_DB_HOST", "database configuration is required");
  refused("APPSERVER_GRAPHQL_HTTP", "AppServerURL is required");
});
