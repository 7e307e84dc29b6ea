import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { test } from "node:test";
import { signatureHeaders, signedMessage } from "@appserver/contracts/signature";
import type { Caller, CredentialedRequest } from "@appserver/kernel";
import { FakeClock, MapCache, MapIdentity, RecordingMetrics } from "@appserver/testing/kit";
import { noMachines } from "../../../test/callers.ts";
import type { AppKey } from "../../ports.ts";
import { CallerAuthenticator } from "./authenticate-caller.ts";

const pair = () => generateKeyPairSync("rsa", { modulusLength: 2_048 });
const [own, deployed, replaced, foreign] = [pair(), pair(), pair(), pair()];
const app: Caller = { kind: "app", name: "clock", id: "id-clock" };
const refused = { code: "AUTHENTICATION_FAILED", reasonId: "signature_invalid" };

class Scene {
  readonly clock = new FakeClock();
  key: AppKey = { id: "id-clock", key: own.publicKey };
  readonly authenticator = new CallerAuthenticator({
    identity: new MapIdentity(),
    machines: noMachines,
    apps: { find: () => this.key },
    cache: new MapCache(this.clock),
    clock: this.clock,
    metrics: new RecordingMetrics(),
    sessionCacheTtlMs: 0,
    allowedOrigins: [],
  });

  has(keys: readonly KeyObject[], validForMs: number): void {
    const validTo = this.clock.now() + validForMs;
    this.key = { ...this.key, workloadKeys: keys.map((key) => ({ key, validTo })) };
  }

  signed(key: KeyObject): CredentialedRequest {
    const timestamp = new Date(this.clock.now()).toISOString();
    const headers: Record<string, string> = {
      [signatureHeaders.appName]: "clock",
      [signatureHeaders.timestamp]: timestamp,
      [signatureHeaders.signature]: sign("sha256", signedMessage("GET", "/x", timestamp, Buffer.alloc(0)), key).toString(
        "base64",
      ),
    };
    return { method: "GET", url: "/x", isUpgrade: false, header: (name) => headers[name.toLowerCase()] };
  }

  async who({ privateKey }: { readonly privateKey: KeyObject }): Promise<Caller> {
    return await this.authenticator.authenticate(this.signed(privateKey));
  }
}

test("the key of a running deployment signs for its app, until its certificate or the deployment ends", async () => {
  const scene = new Scene();
  scene.has([replaced.publicKey, deployed.publicKey], 1_000);
  for (const each of [own, deployed, replaced]) assert.deepEqual(await scene.who(each), app);
  await assert.rejects(scene.who(foreign), refused);
  await scene.clock.advance(1_001);
  await assert.rejects(scene.who(deployed), refused);
  assert.deepEqual(await scene.who(own), app);
  scene.has([deployed.publicKey], 60_000);
  assert.deepEqual(await scene.who(deployed), app);
  await assert.rejects(scene.who(replaced), refused);
});

test("a connection ends with the key that opened it", async () => {
  const scene = new Scene();
  scene.has([deployed.publicKey], 60_000);
  const reauthenticationOf = async ({ privateKey }: typeof own) => {
    const request = scene.signed(privateKey);
    return scene.authenticator.reauthentication(request, await scene.authenticator.authenticate(request));
  };
  const [ofDeployment, ofApp] = [await reauthenticationOf(deployed), await reauthenticationOf(own)];
  await ofDeployment();
  await ofApp();
  scene.has([replaced.publicKey], 60_000);
  await assert.rejects(async () => ofDeployment(), refused);
  await ofApp();
});

test("a client certificate of a deployment counts as the app's, and its connection ends with the deployment", async () => {
  const scene = new Scene();
  scene.has([deployed.publicKey], 60_000);
  const caller = await scene.authenticator.authenticateCertificate("clock", deployed.publicKey);
  assert.deepEqual(caller, app);
  const reauthenticate = scene.authenticator.reauthentication(scene.signed(deployed.privateKey), caller);
  await reauthenticate();
  scene.has([], 0);
  await assert.rejects(async () => reauthenticate(), refused);
  await assert.rejects(scene.authenticator.authenticateCertificate("clock", deployed.publicKey), {
    code: "AUTHENTICATION_FAILED",
  });
});
