import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import type { ModelDefinition } from "@appserver/driver";
import { isAppError, SystemClock, silentLogger } from "@appserver/kernel";
import { FakeClock, rejectsWith } from "@appserver/testing/kit";
import syntax from "@openfga/syntax-transformer";
import { type PrivateOpenFga, type PrivateOpenFgaOptions, startPrivateOpenFga } from "../../../../tools/services/openfga.ts";
import { authorizationSuite, suiteModel } from "../../authorization.suite.ts";
import { OpenFgaAuthorization, type OpenFgaAuthorizationOptions } from "./openfga-authorization.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-openfga-"));
const model = syntax.transformer.transformDSLToJSONObject(suiteModel) as ModelDefinition;
const granted = { user: "user:ann", relation: "owner", object: "app:notes" };

const server = await startPrivateOpenFga(join(folder, "main"));
const skip = "unavailable" in server ? server.unavailable : false;
after(async () => {
  if (!("unavailable" in server)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

authorizationSuite(
  "OpenFGA",
  async () => {
    const own = await privateServer("suite", { authentication: "none" });
    const authorization = authorizationOf(own);
    await authorization.bootstrap({ model, createStore: true });
    return {
      authorization,
      cutOff: () => own.stop(),
      close: async () => authorization.stop(),
    };
  },
  { skip },
);

describe("OpenFgaAuthorization: store and model", { skip }, () => {
  const [running] = "unavailable" in server ? [] : [server];

  it("bootstraps once, writes a model only if it differs, and finds the store by name afterwards", async () => {
    const storeName = "bootstrapped";
    const first = await open({ storeName }).bootstrap({ model, createStore: true });
    assert.equal(first.storeCreated && first.modelWritten, true);
    const second = await open({ storeName }).bootstrap({ model, createStore: true });
    assert.deepEqual(second, { ...first, storeCreated: false, modelWritten: false });
    const changed = await open({ storeId: first.storeId }).bootstrap({ model: authorizationModel });
    assert.deepEqual(changed, { storeId: first.storeId, modelId: changed.modelId, storeCreated: false, modelWritten: true });
    assert.notEqual(changed.modelId, first.modelId);
    const again = await open({ storeName }).bootstrap({ model: authorizationModel });
    assert.deepEqual(again, { ...changed, modelWritten: false });
  });

  it("uses the latest model at its start, or the configured one", async () => {
    const storeName = "pinned";
    const old = await open({ storeName }).bootstrap({ model, createStore: true });
    const pinned = open({ storeName });
    await pinned.start();
    await open({ storeName }).bootstrap({ model: authorizationModel });
    const ofTheOldModel = { user: "user:ann", relation: "banned", object: "app:notes" };
    assert.equal(await pinned.check(ofTheOldModel), false);
    assert.equal(await open({ storeName, modelId: old.modelId }).check(ofTheOldModel), false);
    await assert.rejects(open({ storeName }).check(ofTheOldModel), (error) => isAppError(error, "INVALID_REQUEST"));
  });

  it("does not start while the model is older than what is needed; a bootstrap keeps all tuples", async () => {
    const storeName = "older";
    const before = open({ storeName });
    await before.bootstrap({ model, createStore: true });
    await before.write({ writes: [granted] });
    const server = open({ storeName, model: authorizationModel });
    await assert.rejects(server.start(), rejectsWith("NOT_FOUND", /older than this platform .*authz bootstrap/));
    await open({ storeName }).bootstrap({ model: authorizationModel });
    await server.start();
    assert.deepEqual(await server.read({ object: granted.object }), [granted]);
    await server.write({ writes: [{ user: "user:ann", relation: "member", object: "group:finance" }] });
  });

  it("refuses to start without its store, or with two of the same name", async () => {
    const storeName = "twice";
    await assert.rejects(
      open({ storeName }).start(),
      (error) => isAppError(error, "NOT_FOUND") && /named twice/.test(error.message),
    );
    await assert.rejects(open({ storeName }).bootstrap({ model }), (error) => isAppError(error, "NOT_FOUND"));
    const ids = await Promise.all([createStore(storeName), createStore(storeName)]);
    await assert.rejects(
      open({ storeName }).start(),
      (error) => isAppError(error, "CONFLICT") && ids.every((id) => error.message.includes(id)),
    );
    await assert.rejects(open({ storeName }).check(granted), rejectsWith("SERVICE_UNAVAILABLE"));
    const [storeId] = ids;
    await assert.rejects(
      open({ storeId }).start(),
      (error) => isAppError(error, "NOT_FOUND") && /no model/.test(error.message),
    );
  });

  it("returns no result with a wrong key", async () => {
    await open({ storeName: "keyed" }).bootstrap({ model, createStore: true });
    const misconfigured = open({ storeName: "keyed", apiToken: "wrong" });
    await misconfigured.start();
    await assert.rejects(misconfigured.check({ ...granted, contextualTuples: [granted] }), rejectsWith("SERVICE_UNAVAILABLE"));
    await assert.rejects(misconfigured.ping(), rejectsWith("SERVICE_UNAVAILABLE"));
  });

  it("serves the platform's own model: the administrators' role holds every permission", async () => {
    const authorization = open({ storeName: "platform" });
    await authorization.bootstrap({ model: authorizationModel, createStore: true });
    await authorization.write({ writes: [...initialTuples, { user: "user:root", relation: "assignee", object: "role:easy" }] });
    const install = { relation: "holder", object: "permission_scope:install_app" };
    assert.equal(await authorization.check({ user: "user:root", ...install }), true);
    assert.equal(await authorization.check({ user: "user:nobody", ...install }), false);
  });

  it("finds a store that replaced a deleted one", async () => {
    const storeName = "replaced";
    const { storeId } = await open({ storeName }).bootstrap({ model, createStore: true });
    const authorization = open({ storeName });
    assert.equal(await authorization.check(granted), false);
    await request("DELETE", `/stores/${storeId}`);
    await assert.rejects(authorization.ping(), rejectsWith("SERVICE_UNAVAILABLE"));
    await open({ storeName }).bootstrap({ model, createStore: true });
    await authorization.write({ writes: [granted] });
    assert.equal(await authorization.check(granted), true);
  });

  function open(options: Partial<OpenFgaAuthorizationOptions>): OpenFgaAuthorization {
    assert.ok(running);
    return authorizationOf(running, options);
  }

  async function createStore(name: string): Promise<string> {
    const created = (await (await request("POST", "/stores", { name })).json()) as { id: string };
    return created.id;
  }

  async function request(method: string, path: string, body?: object): Promise<Response> {
    assert.ok(running);
    const headers = { authorization: `Bearer ${running.token}`, "content-type": "application/json" };
    return await fetch(`${running.url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  }
});

describe("OpenFgaAuthorization: a server that caches", { skip }, () => {
  it("receives checks that bypass its caches for a while after a write of this or another process", async () => {
    const caching = await privateServer("caching", {
      environment: { OPENFGA_CHECK_QUERY_CACHE_ENABLED: "true", OPENFGA_CHECK_QUERY_CACHE_TTL: "600s" },
    });
    const clock = new FakeClock();
    const here = authorizationOf(caching, { clock });
    const there = authorizationOf(caching, { clock: new FakeClock() });
    try {
      await here.bootstrap({ model, createStore: true });
      assert.equal(await there.check(granted), false);
      await here.write({ writes: [granted] });
      assert.equal(await there.check(granted), false, "stale: the result is from the cache of the server");
      there.noteChange();
      assert.equal(await there.check(granted), true);
      assert.deepEqual(await there.batchCheck([granted]), [true]);

      await here.write({ deletes: [granted] });
      assert.equal(await here.check(granted), false);
      await there.write({ writes: [granted] });
      await clock.advance(14_999);
      assert.equal(await here.check(granted), true);
      await there.write({ deletes: [granted] });
      await clock.advance(1);
      assert.equal(await here.check(granted), true, "stale: checks no longer bypass the cache");
      assert.equal(await authorizationOf(caching, { consistency: "always" }).check(granted), false);
    } finally {
      await caching.stop();
    }
  });
});

async function privateServer(name: string, options: PrivateOpenFgaOptions): Promise<PrivateOpenFga> {
  const started = await startPrivateOpenFga(join(folder, name), options);
  if ("unavailable" in started) throw new Error(started.unavailable);
  return started;
}

const opened: OpenFgaAuthorization[] = [];
after(() => Promise.all(opened.map((authorization) => authorization.stop())));

function authorizationOf(
  { url, token }: PrivateOpenFga,
  options: Partial<OpenFgaAuthorizationOptions> = {},
): OpenFgaAuthorization {
  const authorization = new OpenFgaAuthorization({
    apiUrl: url,
    apiToken: token,
    storeName: "appserver",
    clock: new SystemClock(),
    logger: silentLogger,
    timeoutMs: 10_000,
    ...options,
  });
  opened.push(authorization);
  return authorization;
}
