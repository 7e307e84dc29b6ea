import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readAppIdentity, readForwardSecret } from "./app-identity.ts";
import { type AppKeys, ensureAppKeys } from "./app-keys.ts";

const root = mkdtempSync(join(tmpdir(), "appserver-identity-"));
const [issued, own, nothing] = [join(root, "issued"), join(root, "own"), join(root, "nothing")];
let keys: { readonly issued: AppKeys; readonly own: AppKeys };

before(async () => {
  keys = { issued: await ensureAppKeys(issued, "a.b"), own: await ensureAppKeys(own, "a.b") };
  mkdirSync(nothing);
});
after(() => rmSync(root, { recursive: true }));

test("the identity that the platform made comes before the publisher's key", async () => {
  const identity = await readAppIdentity({ APP_IDENTITY_DIR: issued }, own);
  assert.equal(identity.folder, issued);
  assert.ok(identity.privateKey.equals(keys.issued.privateKey));
});

test("without one, the publisher's key is used; without any key the error names both folders", async () => {
  for (const folder of [nothing, join(root, "missing")]) {
    const identity = await readAppIdentity({ APP_IDENTITY_DIR: folder }, own);
    assert.ok(identity.privateKey.equals(keys.own.privateKey));
  }
  const without = readAppIdentity({ APP_IDENTITY_DIR: nothing }, nothing);
  await assert.rejects(without, { message: `the app has no key: expected key.pem in ${nothing} or ${nothing}` });
});

test("a renewed certificate is read without a restart", async () => {
  const identity = await readAppIdentity({ APP_IDENTITY_DIR: issued });
  assert.equal(await identity.certificate(), keys.issued.certificate);
  writeFileSync(join(issued, "certificate.pem"), "renewed");
  assert.equal(await identity.certificate(), "renewed");
});

test("the forward secret is read from the same folder, and is absent if the platform did not start the app", async () => {
  assert.equal(await readForwardSecret({ APP_IDENTITY_DIR: nothing }), undefined);
  writeFileSync(join(issued, "forward-secret"), "secret");
  assert.equal(await readForwardSecret({ APP_IDENTITY_DIR: issued }), "secret");
});
