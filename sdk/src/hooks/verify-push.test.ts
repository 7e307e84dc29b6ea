import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { webhookKey, webhookSecret, webhookSignature } from "@appserver/contracts/webhooks";
import type { PlatformClient } from "../platform-client.ts";
import { serveApp } from "../serve-app.ts";
import { DropHook } from "./hook.ts";
import { pushedHooks } from "./pushed-hooks.ts";
import { PushSignatureError, verifyPush } from "./verify-push.ts";

const now = Date.UTC(2026, 0, 1);
const secret = webhookSecret(randomBytes(32));
const body = Buffer.from(
  JSON.stringify({
    type: "com.example.notes.created",
    timestamp: new Date(now).toISOString(),
    id: "e1",
    sourceApp: "com.example.notes",
    orderingKey: null,
    attempt: 2,
    data: { text: "ünï" },
  }),
);

function posted(at: number, key = webhookKey(secret)) {
  const timestamp = String(Math.floor(at / 1000));
  const signature = webhookSignature(key, "e1", timestamp, body);
  return { "webhook-id": "e1", "webhook-timestamp": timestamp, "webhook-signature": `v1,bm90IHRoaXM= ${signature}` };
}

describe("a posted hook", () => {
  test("is signed as in Standard Webhooks", () => {
    // The example of the Standard Webhooks reference libraries.
    const key = webhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    const signature = webhookSignature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", Buffer.from('{"test": 2432232314}'));
    assert.equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("is read if one of its signatures is valid", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const hook = verifyPush(secret, { headers: { ...posted(now), traceparent }, body }, now);
    assert.deepEqual(
      [hook.id, hook.name, hook.sourceApp, hook.data, hook.attempt, hook.orderingKey, hook.traceparent],
      ["e1", "com.example.notes.created", "com.example.notes", { text: "ünï" }, 2, undefined, traceparent],
    );
    assert.equal(verifyPush(secret, { headers: posted(now), body }, now).traceparent, undefined);
  });

  for (const [what, headers, bytes] of [
    ["another key", posted(now, randomBytes(32)), body],
    ["another body", posted(now), Buffer.from(body.toString().replace("ünï", "uni"))],
    ["another id", { ...posted(now), "webhook-id": "e2" }, body],
    ["no signature", { ...posted(now), "webhook-signature": undefined }, body],
    ["an invalid timestamp", { ...posted(now), "webhook-timestamp": "now" }, body],
    ["an old timestamp", posted(now - 301_000), body],
    ["a timestamp ahead", posted(now + 301_000), body],
  ] as const) {
    test(`is refused with ${what}`, () => {
      assert.throws(() => verifyPush(secret, { headers, body: bytes }, now), PushSignatureError);
    });
  }

  test("gets 200, 500 if the handler fails, 200 if it drops the hook, 401 if forged; the secret is fetched once", async () => {
    let lookups = 0;
    const client = {
      hooks: {
        getPushSecret: async () => {
          lookups += 1;
          return { secret };
        },
      },
    } as unknown as PlatformClient;
    let answer: () => void = () => {};
    const app = await serveApp({
      host: "127.0.0.1",
      port: 0,
      routes: { "POST /hooks": pushedHooks(client, () => answer()) },
    });
    const post = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${app.port}/hooks`, { method: "POST", headers, body })).status;
    const quiet = console.error;
    console.error = () => {};
    try {
      assert.equal(await post(posted(Date.now())), 200);
      answer = () => {
        throw new Error("full");
      };
      assert.equal(await post(posted(Date.now())), 500);
      answer = () => {
        throw new DropHook();
      };
      assert.equal(await post(posted(Date.now())), 200);
      assert.equal(await post(posted(Date.now(), randomBytes(32))), 401);
      assert.equal(lookups, 1);
    } finally {
      console.error = quiet;
      await app.stop();
    }
  });

  test("does not get 401 while the platform is unreachable, so the caller retries", async () => {
    const client = {
      hooks: { getPushSecret: () => Promise.reject(new Error("away")) },
    } as unknown as PlatformClient;
    const app = await serveApp({ host: "127.0.0.1", port: 0, routes: { "POST /hooks": pushedHooks(client, () => {}) } });
    const quiet = console.error;
    console.error = () => {};
    try {
      const answer = await fetch(`http://127.0.0.1:${app.port}/hooks`, { method: "POST", headers: posted(Date.now()), body });
      assert.equal(answer.status, 500);
    } finally {
      console.error = quiet;
      await app.stop();
    }
  });
});
