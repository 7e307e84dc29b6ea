import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { appApi } from "@appserver/contracts/manifest";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import type { CircuitBreaker } from "../domain/circuit-breaker.ts";
import type { ProxiedApp } from "../domain/proxied-app.ts";
import type { ServingApp, Upstream } from "../ports.ts";
import { AppDirectory, type AppDirectoryDeps } from "./app-directory.ts";

const app = (manifestDigest: string, pattern: string): ProxiedApp => ({
  id: "1",
  name: "com.example.notes",
  version: "1.0.0",
  generation: 1,
  manifestDigest,
  upstream: { url: "http://127.0.0.1:9", managed: false },
  api: appApi(
    create(AppManifestSchema, { name: "com.example.notes", webApp: { api: { routes: [{ pattern, methods: ["GET"] }] } } }),
  ),
});

const deps: Omit<AppDirectoryDeps, "installed"> = {
  upstreams: {
    open: () => ({ close: async () => {} }) as unknown as Upstream,
    openOver: () => assert.fail("no tunnel is opened"),
  },
  clock: new SystemClock(),
  logger: silentLogger,
  sessionCookieName: "session",
  forwardSession: false,
  maxBodyBytes: 1_000,
  onBreakerChange: () => {},
  onReleased: () => {},
  onRemoved: () => {},
  onDrainChange: () => {},
};

/** Opens the breaker. */
function trip(breaker: CircuitBreaker): void {
  for (let i = 0; i < 5; i++) {
    const admission = breaker.admit("user:alice", 0);
    if ("permit" in admission) admission.permit.fail("connection", 0);
  }
}

test("a container that failed gets a new breaker with the next change, because another one may have its address", async () => {
  for (const managed of [true, false]) {
    const stored: ProxiedApp = { ...app("a", "regex:/a+"), upstream: { url: "http://127.0.0.1:9", managed } };
    const directory = new AppDirectory({ ...deps, installed: { all: () => [stored], get: () => stored } });
    const serving = () => directory.find(stored.name) as ServingApp;
    directory.refreshAll();
    const before = serving();
    directory.refreshApp(stored.name);
    assert.equal(serving().breaker, before.breaker, "no request failed");
    trip(before.breaker);
    directory.refreshApp(stored.name);
    assert.deepEqual(
      [serving().breaker.state, serving().upstream === before.upstream],
      managed ? ["CLOSED", false] : ["OPEN", true],
    );
    await directory.close(0);
  }
});

test("the connections stay while the instances of an app come and go", async () => {
  const opened: (readonly string[] | undefined)[] = [];
  const followed: (readonly string[])[] = [];
  const upstreams: AppDirectoryDeps["upstreams"] = {
    ...deps.upstreams,
    open: ({ addresses }) => {
      opened.push(addresses);
      const follow = (next: readonly string[]): void => void followed.push(next);
      return { close: async () => {}, follow } as unknown as Upstream;
    },
  };
  let stored = app("a", "regex:/a+");
  const directory = new AppDirectory({ ...deps, upstreams, installed: { all: () => [stored], get: () => stored } });
  directory.refreshAll();
  for (const addresses of [undefined, ["a:1", "b:1"], ["b:1", "c:1"], ["b:1"], undefined]) {
    stored = { ...stored, upstream: { url: "http://127.0.0.1:9", managed: true, addresses } };
    directory.refreshApp(stored.name);
  }
  assert.deepEqual(opened, [undefined, undefined, ["a:1", "b:1"], undefined]);
  assert.deepEqual(followed, [["b:1", "c:1"], ["b:1"]]);
  await directory.close(0);
});

test("failures count on when requests begin or cease to be spread over the instances of an app", async () => {
  const at = (generation: number, addresses?: readonly string[]): ProxiedApp => ({
    ...{ ...app("a", "regex:/a+"), generation },
    upstream: { url: "http://127.0.0.1:9", managed: true, ...(addresses ? { addresses } : {}) },
  });
  let stored = at(1);
  const directory = new AppDirectory({ ...deps, installed: { all: () => [stored], get: () => stored } });
  directory.refreshAll();
  const stateWith = (next: ProxiedApp) => {
    stored = next;
    directory.refreshApp(stored.name);
    return (directory.find(stored.name) as ServingApp).breaker.state;
  };
  trip((directory.find(stored.name) as ServingApp).breaker);
  const states = [stateWith(at(1, ["a:1", "b:1"])), stateWith(at(1)), stateWith(at(2, ["a:1"]))];
  assert.deepEqual(states, ["OPEN", "OPEN", "CLOSED"]);
  await directory.close(0);
});

test("only the breaker of the upstream that serves is reported, with the app as it is now", async () => {
  let stored = app("a", "regex:/a+");
  const changes: string[] = [];
  const directory = new AppDirectory({
    ...deps,
    installed: { all: () => [stored], get: () => stored },
    onBreakerChange: ({ name, version }, { state }) => changes.push(`${name} ${version} ${state}`),
  });
  const breaker = () => (directory.find(stored.name) as ServingApp).breaker;
  directory.refreshAll();
  const earlier = breaker();
  stored = { ...app("b", "regex:/b+"), version: "1.1.0" };
  directory.refreshApp(stored.name);
  assert.equal(breaker(), earlier, "the address is the same");
  stored = { ...stored, upstream: { url: "http://127.0.0.1:8", managed: false } };
  directory.refreshApp(stored.name);
  trip(earlier);
  assert.deepEqual([earlier.state, changes], ["OPEN", []]);
  trip(breaker());
  assert.deepEqual(changes, ["com.example.notes 1.1.0 OPEN"]);
  await directory.close(0);
});

test("an app whose requests this server cannot sign gets none: they wait for a key that will arrive", () => {
  const found = (changes: Partial<ProxiedApp>) => {
    const stored = { ...app("a", "/a"), ...changes };
    const directory = new AppDirectory({ ...deps, installed: { all: () => [stored], get: () => stored } });
    directory.refreshAll();
    return directory.find(stored.name);
  };
  assert.partialDeepStrictEqual(found({ forwardKey: "awaited" }), { reason: "starting", isBuffered: true });
  const refused = { reason: "secret_unreadable", isBuffered: false, retryAfterSeconds: 60 };
  assert.partialDeepStrictEqual(found({ forwardKey: "unreadable" }), refused);
  assert.partialDeepStrictEqual(found({ forwardKey: "unreadable", upstream: { unavailable: "disabled" } }), {
    reason: "disabled",
  });
  assert.equal(found({ forwardKey: createSecretKey(Buffer.alloc(32)) })?.isServing, true);
});

test("an app is compiled again only when its manifest changes", async () => {
  let stored = app("a", "regex:/a+");
  const directory = new AppDirectory({
    ...deps,
    installed: { all: () => [structuredClone(stored)], get: () => structuredClone(stored) },
  });
  const compiled = () => (directory.find(stored.name) as ServingApp).compiled;
  directory.refreshAll();
  const first = compiled();
  directory.refreshAll();
  directory.refreshApp(stored.name);
  assert.equal(compiled(), first);
  stored = app("b", "regex:/b+");
  directory.refreshAll();
  assert.notEqual(compiled(), first);
  assert.ok(compiled().matcher.match("/b"));
  assert.equal(compiled().matcher.match("/a"), undefined);
  await directory.close(0);
});
