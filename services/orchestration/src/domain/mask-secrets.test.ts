import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { maskSecrets } from "./mask-secrets.ts";

test("values are masked wherever they occur, also in JSON, and the longest of two that overlap", () => {
  const lines = ['{"url":"postgres://u:hunter2@db","key":"a\\"b\\nc"}', "hunter2-more hunter2"];
  assert.deepEqual(maskSecrets(lines, ["hunter2", "hunter2-more", 'a"b\nc']), [
    '{"url":"postgres://u:********@db","key":"********"}',
    "******** ********",
  ]);
});

test("values are masked in URLs, where they are escaped", () => {
  assert.deepEqual(maskSecrets(["postgresql://u:p%2Fa%20ss@db"], ["p/a ss"]), ["postgresql://u:********@db"]);
});

test("values of several lines become one line, and short values are left as they are", () => {
  assert.deepEqual(maskSecrets(["before", "one two", "three four", "after"], ["one two\nthree four", "r"]), [
    "before",
    "********",
    "after",
  ]);
});

test("passwords of databases, forward secrets and private keys are masked by their form; digests are not", () => {
  const password = `appdb_${randomBytes(24).toString("base64url")}`;
  const pem = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const lines = [
    `DB ${password}!`,
    `secret=${randomBytes(32).toString("base64")}`,
    ...pem.trim().split("\n"),
    JSON.stringify({ pem }),
  ];
  assert.deepEqual(maskSecrets(lines, []), ["DB ********!", "secret=********", "********", '{"pem":"********\\n"}']);
  const plain = ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "at /a/b/c.js:1:2"];
  assert.deepEqual(maskSecrets(plain, []), plain);
  assert.deepEqual(maskSecrets([], []), []);
});
