import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { createSecretSeal } from "../src/index.ts";

const secret = "a forward secret of a deployment";
const place = ["0193b8f0-0000-7000-8000-000000000001", "forward-secret:1"] as const;
const sealWith = (id: string, key: Uint8Array) =>
  createSecretSeal({ keys: { load: async () => [{ id, key }] }, clock: new FakeClock() });

test("a server with another key, or without the key, cannot open a secret, and the reason contains no part of it", async () => {
  const key = randomBytes(32);
  const sealed = await sealWith("default", key).seal(...place, secret);
  assert.equal(await sealWith("default", key).open(...place, sealed), secret);
  for (const [id, other, reason] of [
    ["default", randomBytes(32), /cannot be decrypted/],
    ["newer", randomBytes(32), /encrypted with the key default, which is not configured any more/],
  ] as const) {
    await assert.rejects(sealWith(id, other).open(...place, sealed), (error: Error) => {
      assert.match(error.message, reason);
      return !error.message.includes(secret) && !error.message.includes(sealed.split(":").at(-1) ?? "");
    });
  }
});
