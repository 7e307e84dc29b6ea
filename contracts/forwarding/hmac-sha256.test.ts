import assert from "node:assert/strict";
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import { test } from "node:test";
import { hmacSha256 } from "./hmac-sha256.ts";

test("the HMAC is that of Node, for keys and messages of every length", () => {
  for (const keyBytes of [1, 31, 32, 63, 64, 65, 128, 300]) {
    const key = createSecretKey(randomBytes(keyBytes));
    for (const length of [0, 1, 55, 56, 64, 1_000, 1_024, 5_000, 3]) {
      const message = randomBytes(length).toString("latin1");
      assert.equal(hmacSha256(key, message), createHmac("sha256", key).update(message, "latin1").digest("base64"));
    }
  }
});
