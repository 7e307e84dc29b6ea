import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError, currentKeyedWork, type RestCall, type RestReply, type RestRoute, silentLogger } from "@appserver/kernel";
import type { IdempotencyClaim, IdempotencyKeys, KeyedWork } from "@appserver/kernel/ports";
import { HttpStatusError } from "../http/error-response.ts";
import { handleOnce } from "./idempotent-requests.ts";

const work: KeyedWork = { caller: "user:alice", key: "k", claim: "c", earlier: undefined, isRepeated: false };

/** Keys that find the given claim, and note how the work ended. */
class TestKeys implements IdempotencyKeys {
  readonly ends: string[] = [];
  readonly #claim: IdempotencyClaim;

  constructor(claim: IdempotencyClaim) {
    this.#claim = claim;
  }

  async begin(): Promise<IdempotencyClaim> {
    return this.#claim;
  }

  async complete(): Promise<void> {
    this.ends.push("complete");
    throw new Error("the database is unreachable");
  }

  async fail(): Promise<void> {
    this.ends.push("fail");
  }
}

describe("the handling of requests with a key", () => {
  const handle = async (claim: IdempotencyClaim, work: () => RestReply) => {
    const keys = new TestKeys(claim);
    const headers: Record<string, string> = { "idempotency-key": "k" };
    const call = { caller: { kind: "user", id: "alice", displayName: "Alice" }, header: (name: string) => headers[name] };
    const route = { method: "POST", handle: async () => work() };
    const options = { idempotencyKeys: keys, logger: silentLogger };
    const reply = await handleOnce(options, route as unknown as RestRoute, call as unknown as RestCall).catch(
      (error: unknown) => error,
    );
    return { reply, ends: keys.ends };
  };

  test("a request that has succeeded gets its response, also if its end cannot be stored", async () => {
    const handled = await handle({ outcome: "first", work }, () => ({ status: 200, json: currentKeyedWork() }));
    assert.deepEqual(handled, { reply: { status: 200, json: work }, ends: ["complete"] });
  });

  test("a request that fails, or is refused with a response, ends its key", async () => {
    const error = new AppError("CONFLICT", "changed");
    assert.deepEqual(await handle({ outcome: "first", work }, () => ({ status: 412, error })), {
      reply: { status: 412, error },
      ends: ["fail"],
    });
    const fail = (): never => {
      throw error;
    };
    assert.deepEqual(await handle({ outcome: "first", work }, fail), { reply: error, ends: ["fail"] });
  });

  test("a request whose work is done reads it, and ends nothing", async () => {
    const done: KeyedWork = { ...work, earlier: { id: 1 } };
    const { reply, ends } = await handle({ outcome: "done", work: done }, () => ({
      status: 200,
      json: currentKeyedWork()?.earlier,
    }));
    assert.deepEqual(reply, { status: 200, json: { id: 1 }, headers: { "idempotency-replayed": "true" } });
    assert.deepEqual(ends, []);
  });

  test("a request whose first one is not done is repeated after a second", async () => {
    const { reply } = await handle({ outcome: "in_flight" }, () => assert.fail());
    assert.ok(reply instanceof HttpStatusError);
    assert.deepEqual([reply.status, reply.headers["retry-after"]], [409, "1"]);
  });
});
