import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import type { ProxiedApp } from "../domain/proxied-app.ts";
import type { ServingApp, Upstream } from "../ports.ts";
import { AppDirectory } from "./app-directory.ts";

const app = (manifestDigest: string, pattern: string): ProxiedApp => ({
  id: "1",
  name: "com.example.notes",
  version: "1.0.0",
  generation: 1,
  manifestDigest,
  availability: "serving",
  upstream: { url: "http://127.0.0.1:9", managed: false },
  api: {
    basePath: "/",
    stripBasePath: true,
    forwardHeaders: [],
    requiredPermissions: [],
    maxBodyBytes: 10 * 1024 * 1024,
    routes: [{ id: "com.example.notes#0", pattern, methods: ["GET"], scopes: [], isPublic: true }],
  },
});

test("an app is compiled again only when its manifest changes", async () => {
  let stored = app("a", "regex:/a+");
  const directory = new AppDirectory({
    installed: { all: () => [structuredClone(stored)], get: () => structuredClone(stored) },
    upstreams: { open: () => ({ close: async () => {} }) as unknown as Upstream },
    clock: new SystemClock(),
    logger: silentLogger,
    sessionCookieName: "session",
    forwardSession: false,
    onBreakerChange: () => {},
    onReleased: () => {},
    onRemoved: () => {},
    onDrainChange: () => {},
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
