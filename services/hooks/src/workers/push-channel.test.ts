import assert from "node:assert/strict";
import { createSecretKey, type KeyObject } from "node:crypto";
import { test } from "node:test";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import type { SignedPost } from "@appserver/contracts/webhooks";
import { FakeClock } from "@appserver/testing/kit";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { Backend } from "../ports.ts";
import { PushChannel } from "./push-channel.ts";

const hookName = "com.example.notes.created";
const delivery: ClaimedDelivery = {
  id: "1",
  appName: "com.example.clock",
  orderingGroup: undefined,
  attempt: 1,
  failures: 0,
  disconnects: 0,
  waitLeftMs: 0,
  event: {
    id: "2",
    hookName,
    data: "{}",
    triggeredAt: new Date(0),
    triggeredBy: "user:1",
    sourceApp: undefined,
    orderingKey: undefined,
    traceparent: undefined,
  },
};

/** Sends the delivery with this secret. Returns the result and what was posted. */
async function sent(key: KeyObject | MissingForwardKey) {
  const posts: SignedPost[] = [];
  const post = async (_backend: Backend, _path: string, request: SignedPost) => {
    posts.push(request);
    return { status: 200, retryAfter: undefined };
  };
  const channel = new PushChannel({
    appName: delivery.appName,
    paths: new Map([[hookName, "/on-note"]]),
    backend: { url: "http://backend", managed: true },
    capacity: 1,
    timeoutMs: 1_000,
    platformKeys: [new Uint8Array(32)],
    forwardKeys: { of: () => key },
    transport: { post },
    clock: new FakeClock(),
  });
  return { result: await channel.send(delivery), signatures: posts.map(({ headers }) => headers["x-appserver-signature"]) };
}

test("without the secret of the backend's deployment nothing is posted, and the delivery is tried again", async () => {
  for (const [missing, reason] of [
    ["awaited", /^not sent: the server has not read the secret/],
    ["unreadable", /^not sent: the server cannot open the secret/],
  ] as const) {
    const { result, signatures } = await sent(missing);
    assert.deepEqual([result.outcome, signatures.length], ["FAILED", 0]);
    assert.match("error" in result ? result.error : "", reason);
  }
});

test("with a secret the POST is signed", async () => {
  const signed = await sent(createSecretKey(Buffer.alloc(32)));
  assert.equal(signed.result.outcome, "SUCCESS");
  assert.match(signed.signatures[0] ?? "", /^t=\d+;v1=/);
});
