import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, isSessionKey, readSessionRequest, SessionKey, sealFor } from "./index.ts";

test("only the key for which a text was encrypted opens it, unchanged", () => {
  const key = new SessionKey();
  const sealed = sealFor(key.publicKey, "cookie.abc=");
  assert.equal(key.open(sealed), "cookie.abc=");
  assert.throws(() => new SessionKey().open(sealed));
  const changed = Buffer.from(sealed, "base64url");
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  assert.throws(() => key.open(changed.toString("base64url")));
  assert.throws(() => key.open("AAAA"));
});

test("a request of appctl has a port, a state and a key", () => {
  const { publicKey: key } = new SessionKey();
  const query = { port: "40000", state: "s".repeat(22), key };
  assert.deepEqual(readSessionRequest(query), { ...query, port: 40_000 });
  assert.match(codeOf({ key }), /^[0-9A-F]{4}-[0-9A-F]{4}$/);
  for (const wrong of [
    { port: "80" },
    { port: "70000" },
    { port: "4e4" },
    { port: ["40000"] },
    { state: "short" },
    { state: `${"s".repeat(22)}&a` },
    { key: "AAAA" },
    { key: `${key}@evil` },
  ])
    assert.equal(readSessionRequest({ ...query, ...wrong }), undefined, JSON.stringify(wrong));
  assert.equal(readSessionRequest({}), undefined);
});

test("a key for which nothing can be encrypted is no key", () => {
  assert.equal(isSessionKey(new SessionKey().publicKey), true);
  const lowOrder = Buffer.alloc(32).toString("base64url");
  for (const wrong of [lowOrder, "", "AAAA", "=".repeat(43)]) assert.equal(isSessionKey(wrong), false, wrong);
});
