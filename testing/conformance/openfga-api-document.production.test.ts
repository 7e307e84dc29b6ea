import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { OpenFgaAuthorization } from "@appserver/authorization-openfga";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import { isAppError, SystemClock, silentLogger } from "@appserver/kernel";
import { ensureOpenFga } from "../../tools/services/openfga.ts";
import { OpenApiDocument } from "./openapi-document.ts";
import { RecordingProxy } from "./recording-proxy.ts";

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "contract-openfga", "apidocs.swagger.json");
const server = existsSync(file) ? await ensureOpenFga() : { unavailable: "corpora absent" };
const skip = "unavailable" in server ? server.unavailable : false;

/**
 * A deviation of the server: for a wrong key it returns a code that its document has in another list. The driver reads only the
 * status.
 */
const knownDeviations = ["GET /stores: answer.code is unauthenticated, which is not in its list"];

describe("our calls to OpenFGA and its responses match its API document", { skip }, () => {
  let proxy: RecordingProxy;
  let authorization: OpenFgaAuthorization;
  const storeName = `contract-${process.pid}-${Date.now()}`;

  before(async () => {
    if ("unavailable" in server) return;
    proxy = await RecordingProxy.start(server.url);
    authorization = open({ storeName });
  });
  after(async () => {
    await authorization.stop();
    proxy.stop();
    if (!("unavailable" in server)) await server.stop();
  });

  it("for every operation of the driver", async () => {
    await authorization.bootstrap({ model: authorizationModel, createStore: true });
    const found = open({ storeName });
    await found.start();
    await found.ping();
    const many = Array.from({ length: 120 }, (_, n) => ({ user: `user:u${n}`, relation: "viewer", object: "app:a" }));
    const [first] = many;
    assert.ok(first);
    await found.write({ writes: initialTuples });
    await found.write({ writes: [first] });
    await found.write({ writes: [{ ...first, relation: "editor" }], deletes: [first] });
    await found.write({ writes: many });
    assert.equal(await found.check(first), true);
    assert.equal(
      await found.check({ ...first, user: "user:x", contextualTuples: [{ ...first, user: "user:x" }], context: { now: 1 } }),
      true,
    );
    assert.equal((await found.batchCheck([...many, { ...first, contextualTuples: [first], context: {} }])).length, 121);
    for (const filter of [
      {},
      { object: "app:a" },
      { user: "user:u1", object: "app:" },
      { user: "user:u1", relation: "viewer" },
    ]) {
      assert.ok((await found.read(filter)).length > 0);
    }
    await assert.rejects(found.check({ ...first, relation: "unknown" }), (error) => isAppError(error, "INVALID_REQUEST"));
    await assert.rejects(open({ storeName, apiToken: "wrong" }).check(first), (error) =>
      isAppError(error, "SERVICE_UNAVAILABLE"),
    );
    await found.stop();

    const document = new OpenApiDocument(file);
    assert.deepEqual(
      proxy.calls.flatMap((call) => document.violations(call, ["authorization"])),
      knownDeviations,
    );
    const operations = new Set(
      proxy.calls.map(({ method, target }) => `${method} ${target.replace(/\?.*/, "").replaceAll(/\/01[0-9A-Z]{24}/g, "/*")}`),
    );
    assert.deepEqual([...operations].sort(), [
      "GET /stores",
      "GET /stores/*",
      "GET /stores/*/authorization-models",
      "GET /stores/*/authorization-models/*",
      "POST /stores",
      "POST /stores/*/authorization-models",
      "POST /stores/*/batch-check",
      "POST /stores/*/check",
      "POST /stores/*/read",
      "POST /stores/*/write",
    ]);
  });

  it("the check reports calls and responses that do not match", () => {
    const document = new OpenApiDocument(file);
    const call = { method: "POST", target: "/stores/s/check", headers: {}, body: "", status: 200, answer: '{"allowed":1}' };
    assert.deepEqual(document.violations({ ...call, body: '{"tuple_key":{"user":"u","relation":3,"object":"o"},"extra":1}' }), [
      "POST /stores/{store_id}/check: body.tuple_key.relation is not a string",
      "POST /stores/{store_id}/check: body.extra is not declared",
      "POST /stores/{store_id}/check: answer.allowed is not a boolean",
    ]);
    assert.deepEqual(document.violations({ ...call, target: "/check" }), ["POST /check is not in the document"]);
  });

  function open(options: { storeName: string; apiToken?: string }): OpenFgaAuthorization {
    const apiToken = "unavailable" in server ? undefined : server.token;
    return new OpenFgaAuthorization({
      apiUrl: proxy.url,
      apiToken,
      clock: new SystemClock(),
      logger: silentLogger,
      timeoutMs: 10_000,
      ...options,
    });
  }
});
