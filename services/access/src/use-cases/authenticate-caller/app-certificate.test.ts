import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { isAppError } from "@appserver/kernel";
import { FakeClock, MapCache, MapIdentity, RecordingMetrics } from "@appserver/testing/kit";
import { noMachines } from "../../../test/callers.ts";
import type { AppKey } from "../../ports.ts";
import { CallerAuthenticator } from "./authenticate-caller.ts";

const name = "com.example.notes";
const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey;
const own = newKey();
const isRefused = (error: unknown): boolean => isAppError(error, "AUTHENTICATION_FAILED");

function certificatesOf(more: Pick<AppKey, "validFrom" | "validTo" | "isDisabled">) {
  const clock = new FakeClock(10_000);
  const registered: AppKey = { id: "the-id", key: own, ...more };
  const apps = { find: (appName: string) => (appName === name ? registered : undefined) };
  const options = {
    machines: noMachines,
    cache: new MapCache(clock),
    identity: new MapIdentity(),
    metrics: new RecordingMetrics(),
  };
  const authenticator = new CallerAuthenticator({ ...options, apps, clock, sessionCacheTtlMs: 0, allowedOrigins: [] });
  return { clock, callerOf: (appName: string, key = own) => authenticator.authenticateCertificate(appName, key) };
}

test("a connection with the registered key authenticates the app that the call names", async () => {
  assert.deepEqual(await certificatesOf({}).callerOf(name), { kind: "app", name, id: "the-id" });
});

test("another key is refused, and so is another app's name", async () => {
  const { callerOf } = certificatesOf({});
  await assert.rejects(callerOf(name, newKey()), isRefused);
  await assert.rejects(callerOf("com.example.clock"), isRefused);
});

test("a disabled app is refused, but only if the key is its own", async () => {
  const { callerOf } = certificatesOf({ isDisabled: true });
  await assert.rejects(callerOf(name), (error: unknown) => isAppError(error, "PERMISSION_DENIED"));
  await assert.rejects(callerOf(name, newKey()), isRefused);
});

test("a registered certificate is refused before and after its validity", async () => {
  const { clock, callerOf } = certificatesOf({ validFrom: 11_000, validTo: 12_000 });
  await assert.rejects(callerOf(name), isRefused);
  await clock.advance(1_000);
  assert.equal((await callerOf(name)).kind, "app");
  await clock.advance(1_001);
  await assert.rejects(callerOf(name), isRefused);
});
