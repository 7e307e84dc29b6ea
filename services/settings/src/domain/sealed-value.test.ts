import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { openValue, sealedWith, sealValue, settingsKey } from "./sealed-value.ts";

const key = settingsKey("k-1", randomBytes(32));
const place = { appId: "0192f0c0-0000-7000-8000-000000000001", key: "mail.password" };

test("a value that was sealed for a place can be opened there, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,20}$/), (text, name) => {
      const at = { ...place, key: name };
      const sealed = sealValue(key, at, JSON.stringify(text));
      assert.equal(JSON.parse(openValue(key, at, sealed)), text);
      assert.match(sealed, /^v1:k-1:[\w-]{16}:[\w-]{22,}$/);
      assert.equal(sealedWith(sealed), key.id);
    }),
  );
});

test("a value moved to another app, another setting or another key id cannot be opened", () => {
  const sealed = sealValue(key, place, '"secret"');
  const other = settingsKey("k-2", randomBytes(32));
  assert.throws(() => openValue(key, { ...place, appId: "0192f0c0-0000-7000-8000-000000000002" }, sealed));
  assert.throws(() => openValue(key, { ...place, key: "mail.passwor" }, sealed));
  assert.throws(() => openValue(other, place, sealed), /another key/);
  assert.throws(() => openValue(other, place, sealed.replace(key.id, other.id)));
  // The same bytes, with the id of another key.
  assert.throws(() => openValue({ ...key, id: other.id }, place, sealed.replace(key.id, other.id)));
  // Another key with the same id.
  assert.throws(() => openValue(settingsKey(key.id, randomBytes(32)), place, sealed));
});

test("a value with one altered bit in IV, ciphertext or tag cannot be opened", () => {
  const sealed = sealValue(key, place, '"secret"');
  const [version, id, iv = "", body = ""] = sealed.split(":");
  const flips = (text: string) =>
    Array.from({ length: Buffer.from(text, "base64url").length * 8 }, (_, bit) => {
      const bytes = Buffer.from(text, "base64url");
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return bytes.toString("base64url");
    });
  for (const flipped of flips(iv)) assert.throws(() => openValue(key, place, [version, id, flipped, body].join(":")));
  for (const flipped of flips(body)) assert.throws(() => openValue(key, place, [version, id, iv, flipped].join(":")));
  for (const shorter of [body.slice(0, -4), body.slice(0, 20), ""])
    assert.throws(() => openValue(key, place, [version, id, iv, shorter].join(":")));
});

test("100,000 encryptions of one value have distinct IVs and distinct ciphertexts", () => {
  const ivs = new Set<string>();
  const bodies = new Set<string>();
  for (let round = 0; round < 100_000; round++) {
    const [, , iv = "", body = ""] = sealValue(key, place, "1").split(":");
    ivs.add(iv);
    bodies.add(body);
  }
  assert.deepEqual([ivs.size, bodies.size], [100_000, 100_000]);
});

test("a key has 32 bytes and an id that is valid in a sealed value", () => {
  for (const length of [0, 16, 31, 33, 64]) assert.throws(() => settingsKey("k", randomBytes(length)), /32 bytes/);
  for (const id of ["", "a:b", "ä", "x".repeat(33)]) assert.throws(() => settingsKey(id, randomBytes(32)), /id of/);
});
