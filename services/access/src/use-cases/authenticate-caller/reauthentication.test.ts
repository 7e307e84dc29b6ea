import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { AppError, type Caller } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import type { AppKey } from "../../ports.ts";
import { type Reauthentication, reauthenticationOf } from "./reauthentication.ts";

const clock = new FakeClock();
const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
const key: AppKey = { id: "1", key: newKey(), validTo: clock.now() + 1_000 };
const failed = { code: "AUTHENTICATION_FAILED" };

function ofApp(keys: () => AppKey | undefined): Reauthentication {
  const caller: Caller = { kind: "app", name: "demo", id: "1" };
  return reauthenticationOf(caller, { apps: { find: keys }, clock, authenticate: () => assert.fail("its signature is old") });
}

test("an app is accepted until it is uninstalled, has another key, or another app has its name", async () => {
  for (const later of [undefined, { ...key, key: newKey() }, { ...key, id: "2" }]) {
    let current: AppKey | undefined = key;
    const reauthenticate = ofApp(() => current);
    await reauthenticate();
    current = later;
    await assert.rejects(async () => reauthenticate(), failed);
  }
});

test("a key that is replaced before the first check is detected", async () => {
  let current: AppKey = key;
  const reauthenticate = ofApp(() => current);
  current = { ...key, key: newKey() };
  await assert.rejects(async () => reauthenticate(), failed);
});

test("an app is refused while it is disabled", async () => {
  let current: AppKey = key;
  const reauthenticate = ofApp(() => current);
  await reauthenticate();
  current = { ...key, isDisabled: true };
  await assert.rejects(async () => reauthenticate(), { code: "PERMISSION_DENIED", reasonId: "app_disabled" });
  current = key;
  await reauthenticate();
});

test("an app is refused after its certificate expires", async () => {
  const reauthenticate = ofApp(() => key);
  await reauthenticate();
  clock.jump(2_000);
  await assert.rejects(async () => reauthenticate(), failed);
});

test("a key that cannot be read decides nothing", async () => {
  const reauthenticate = ofApp(() => {
    throw new AppError("SERVICE_UNAVAILABLE", "the database does not respond");
  });
  await assert.rejects(async () => reauthenticate(), { code: "SERVICE_UNAVAILABLE" });
});

test("no key is read for the platform or an anonymous caller", async () => {
  const deps = { apps: { find: () => assert.fail() }, clock, authenticate: () => assert.fail() };
  await reauthenticationOf({ kind: "anonymous" }, deps)();
  await reauthenticationOf({ kind: "system", reason: "test" }, deps)();
});
