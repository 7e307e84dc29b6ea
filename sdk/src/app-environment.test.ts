import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appEnvironment } from "./app-environment.ts";

describe("appEnvironment", () => {
  test("reads the variables that the platform sets", () => {
    assert.deepEqual(
      appEnvironment({
        APP_ID: "0198c0de-0000-7000-8000-000000000000",
        APP_NAME: "com.example.clock",
        APPSERVER_HTTP_URL: "http://appserver:8080",
        APPSERVER_GRPC_ADDRESS: "appserver:9090",
        APPSERVER_GRAPHQL_URL: "http://appserver:8080/graphql",
        PORT: "4000",
        HOST: "127.0.0.1",
        APP_IDENTITY_DIR: "/data/identity",
      }),
      {
        appId: "0198c0de-0000-7000-8000-000000000000",
        appName: "com.example.clock",
        httpUrl: "http://appserver:8080",
        grpcAddress: "appserver:9090",
        graphqlUrl: "http://appserver:8080/graphql",
        port: 4000,
        identityFolder: "/data/identity",
        host: "127.0.0.1",
      },
    );
  });

  test("returns defaults for an app that the platform did not start", () => {
    const { port, host, httpUrl, identityFolder } = appEnvironment({});
    assert.deepEqual(
      { port, host, httpUrl, identityFolder },
      { port: 3000, host: "0.0.0.0", httpUrl: "http://127.0.0.1:8080", identityFolder: "/run/appserver" },
    );
  });

  test("a name that is missing is refused where it is read", () => {
    const environment = appEnvironment({});
    assert.throws(() => environment.appName, /^Error: APP_NAME is not set: .* set it to the `name` of its app\.yaml$/);
  });

  test("accepts both names of the GraphQL address", () => {
    assert.equal(appEnvironment({ APPSERVER_GRAPHQL_HTTP: "http://a/graphql" }).graphqlUrl, "http://a/graphql");
  });

  for (const port of ["", "http", "-1", "65536", "30.5"]) {
    test(`refuses PORT=${JSON.stringify(port)}`, () => {
      assert.throws(() => appEnvironment({ PORT: port }), { name: "RangeError", message: /^PORT must be 0 to 65535, got / });
    });
  }
});
