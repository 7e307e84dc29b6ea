import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { send } from "@appserver/testing/kit";
import { TestDockerEngine } from "@appserver/testing/kit/docker";
import { startUpPlatform } from "@appserver/testing/kit/production";
import type { Attempt } from "./isolation/attempts.ts";
import { inspectApp } from "./isolation/facts.ts";
import { type IsolatedPlatform, isolationSuite } from "./isolation/isolation-suite.ts";
import type { Order } from "./isolation/orders.ts";

const started = await startUpPlatform();
const skip = "unavailable" in started ? started.unavailable : undefined;

const fetches =
  (...requests: readonly Omit<Extract<Order, { do: "fetch" }>, "do">[]) =>
  (): readonly Order[] =>
    requests.map((request) => ({ do: "fetch", ...request }));

/** The address in the network of containers serves the interfaces for programs, and each asks for credentials. */
const more: readonly Attempt[] = [
  {
    what: "the registry, at the address for apps",
    orders: fetches(
      { url: "/v2/" },
      { url: "/v2/com.example.notes/tags/list" },
      { url: "/v2/com.example.notes/manifests/latest" },
      { url: "/v2/com.example.intruder/blobs/uploads/", method: "POST" },
    ),
    ends: /^404$/,
  },
  {
    what: "pages, sign-in, provisioning and metrics, at the address for apps",
    orders: fetches(
      ...["/login", "/docs/", "/playground", "/metrics", "/scim/v2/Users", "/dev/login"].map((url) => ({ url })),
      { url: "/self-service/login/browser" },
      { url: "/self-service/login?flow=login", method: "POST", body: "{}" },
    ),
    ends: /^404$/,
  },
  {
    what: "apps over REST, unsigned or as itself",
    orders: fetches(
      { url: "/api/v2/apps" },
      { url: "/api/v2/apps", signedAs: "com.example.clock" },
      { url: "/api/v2/apps", signedAs: "com.example.intruder" },
      { url: "/api/v2/apps", headers: { "x-user-id": "admin", "x-forwarded-for": "127.0.0.1" } },
    ),
    ends: /^(401|403)$/,
  },
  {
    what: "the loopback ports of the platform, at every other address of the host",
    orders: ({ hosts, platform }) =>
      hosts
        .filter((host) => host !== platform.host)
        .flatMap((host) => [platform.port, platform.grpcPort].map((port): Order => ({ do: "connect", host, port }))),
    ends: /^(timeout|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/,
  },
];

describe("the address of one machine in the network of containers", { skip: skip ?? false }, () => {
  test("takes requests under its own name only, so that no page reaches it by a name of its own", async () => {
    const { platform, engine } = await start();
    const { environment } = await inspectApp(engine, "com.example.notes");
    await engine.stop();
    const url = environment["APPSERVER_HTTP_URL"] ?? "";
    const { host, hostname, port } = new URL(url);
    const statusOf = async (name: string) => (await send(url, "/health", { headers: { host: name } })).status;
    assert.notEqual(hostname, new URL(platform.httpUrl).hostname);
    assert.equal(await statusOf(host), 200);
    for (const name of ["evil.example", `evil.example:${port}`, `localhost:${port}`, `127.0.0.1:${port}`, `${hostname}.`])
      assert.equal(await statusOf(name), 400, name);
  });
});

async function start(): Promise<IsolatedPlatform> {
  if ("unavailable" in started) throw new Error(started.unavailable);
  const { docker, database, appsDatabase, registrationToken, adminToken } = started.addresses;
  const engine = new TestDockerEngine(docker.socketPath, async () => {});
  return {
    platform: started,
    engine,
    registry: docker.registry,
    publish: (image) => engine.push(image, docker.credentials),
    servers: { "database server": { host: database.host, port: database.port } },
    secrets: [database.password, appsDatabase.password, registrationToken, adminToken],
    stop: async () => {
      await engine.stop();
      await started.stop();
    },
  };
}

isolationSuite("one machine", start, { skip, hasAllServers: false, more });
