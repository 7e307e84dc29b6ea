import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOfMachineToken, newMachineToken } from "./machine-token.ts";

test("a token has its prefix, 30 digits that cannot be guessed and a checksum, and its key tells nothing of it", () => {
  const tokens = Array.from({ length: 500 }, newMachineToken);
  assert.equal(new Set(tokens.map(keyOfMachineToken)).size, tokens.length);
  for (const token of tokens) {
    assert.match(token, /^asv_[0-9A-Za-z]{36}$/);
    assert.match(keyOfMachineToken(token) ?? "", /^[\w-]{43}$/);
  }
});

test("the checksum is CRC-32 in base 62, as scanners compute it", () => {
  // Computed with zlib.crc32 of Python: 0x836bd70f.
  assert.notEqual(keyOfMachineToken("asv_1234567890123456789012345678902PDSiF"), undefined);
});

test("a token that was mistyped or cut has no key", () => {
  const token = newMachineToken();
  const [at, other] = [10, token[10] === "a" ? "b" : "a"];
  for (const wrong of [
    token.slice(0, -1),
    `${token}0`,
    `${token.slice(0, at)}${other}${token.slice(at + 1)}`,
    token.toLowerCase().replace(/^asv_/, "ASV_"),
    `${token.slice(0, -1)}-`,
    "asv_",
    `${token}\n`,
  ])
    assert.equal(keyOfMachineToken(wrong), undefined, wrong);
});
