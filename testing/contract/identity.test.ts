import assert from "node:assert/strict";
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { readAppKeys, signRequest } from "@appserver/sdk";
import {
  eventually,
  type GraphqlAnswer,
  jsonOf,
  type PlatformUnderTest,
  platformVariant,
  send,
  startPlatform,
  untilState,
} from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import { type IdentityFile, identityFilesOf } from "./app-identity-files.ts";
import { appProcess } from "./app-process.ts";
import { platformEngine } from "./platform-engine.ts";

const [notes, clock] = ["com.example.notes", "com.example.clock"];
const clockFolder = resolve(import.meta.dirname, "../../examples/clock");
const isEmbedded = platformVariant === "embedded";
const skip = isEmbedded && process.platform !== "linux" ? "needs /proc" : false;

type Files = Readonly<Record<string, IdentityFile>>;

describe("the identity of a deployment", { skip }, () => {
  let platform: PlatformUnderTest;
  let engine: TestDockerEngine | undefined;
  before(async () => {
    platform = await startPlatform();
    engine = await platformEngine();
    for (const name of [notes, clock]) await untilState(platform, name, "RUNNING", 120_000);
  });
  after(async () => {
    await platform?.stop();
    await engine?.stop();
  });

  const filesOf = (name: string): Promise<Files> => identityFilesOf(platform, engine, name);
  const endpointOf = async (name: string): Promise<string> => {
    const { data } = await platform.graphql(`{ app(name: "${name}") { deployment { endpoint } } }`);
    return (data as { readonly app: { readonly deployment: { readonly endpoint: string } } }).app.deployment.endpoint;
  };
  const keyIn = (files: Files): KeyObject => createPrivateKey(files["key.pem"]?.text ?? "");
  /** Asks GraphQL as the app, signed with this key. Returns the code of the error; undefined if the key was accepted. */
  const refusalOf = async (privateKey: KeyObject): Promise<string | undefined> => {
    const body = JSON.stringify({ query: "{ health { status } }", variables: { nonce: Math.random() } });
    const signed = signRequest({ appName: clock, privateKey, method: "POST", url: "/graphql", body: Buffer.from(body) });
    const headers = { "content-type": "application/json", ...signed };
    const answer = await send(platform.httpUrl, "/graphql", { method: "POST", headers, body });
    return (jsonOf(answer) as GraphqlAnswer).errors?.[0]?.extensions.code;
  };

  test("only the app can read its files, and the certificate of its key was signed by the platform for a day", async () => {
    const files = await filesOf(notes);
    assert.deepEqual(Object.keys(files).sort(), ["certificate.pem", "forward-secret", "key.pem", "platform-ca.pem"]);
    const [user] = ((await engine?.inspect(`app-${notes}`))?.Config.User ?? String(process.getuid?.())).split(":");
    for (const [name, { mode, owner }] of Object.entries(files)) assert.deepEqual([mode, String(owner)], ["400", user], name);
    const certificate = new X509Certificate(files["certificate.pem"]?.text ?? "");
    const authority = new X509Certificate(files["platform-ca.pem"]?.text ?? "");
    assert.ok(certificate.verify(authority.publicKey));
    assert.ok(certificate.checkPrivateKey(keyIn(files)));
    const hoursLeft = (certificate.validToDate.getTime() - Date.now()) / 3_600_000;
    assert.ok(hoursLeft > 8 && hoursLeft <= 24, `${hoursLeft} hours`);
  });

  test("each app has its own key and secret, signed by the same authority", async () => {
    const [own, other] = [await filesOf(notes), await filesOf(clock)];
    assert.notEqual(own["key.pem"]?.text, other["key.pem"]?.text);
    assert.notEqual(own["forward-secret"]?.text, other["forward-secret"]?.text);
    assert.equal(own["platform-ca.pem"]?.text, other["platform-ca.pem"]?.text);
  });

  test("no part of the identity is in the environment, and the publisher's key is not where the app is", async () => {
    const files = await filesOf(clock);
    const environment = engine
      ? ((await engine.inspect(`app-${clock}`))?.Config.Env ?? [])
      : (appProcess(platform, clock)?.environment ?? []);
    const publisher = (await readAppKeys(clockFolder)).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const secrets = [files["key.pem"]?.text, files["forward-secret"]?.text, publisher].map((text = "") => text.trim());
    assert.ok(!environment.some((line) => line.startsWith("APPSERVER_SETTINGS_")));
    for (const secret of secrets) {
      assert.ok(secret.length > 40);
      assert.ok(!environment.join("\n").includes(secret.split("\n").at(1) ?? secret));
    }
    assert.notEqual(files["key.pem"]?.text, publisher);
    if (engine) await assert.rejects(engine.archive(`app-${clock}`, "/app/key.pem"), /key\.pem/);
  });

  test("a request sent past the platform is refused, whatever caller it names; health checks are not", async () => {
    const endpoint = await endpointOf(notes);
    const admin = { "x-user-id": platform.userId("admin") };
    for (const [path, headers] of [
      ["/notes", {}],
      ["/notes", admin],
      ["/notes?limit=1", { ...admin, "x-appserver-signature": `t=1;v1=${"A".repeat(43)}=` }],
    ] as const) {
      const answer = await send(endpoint, path, { headers });
      assert.equal(answer.status, 401, answer.text);
      assert.match(answer.text, /not signed by the platform/);
    }
    const post = { method: "POST", headers: { ...admin, "content-type": "application/json" }, body: '{"text": "forged"}' };
    assert.equal((await send(endpoint, "/notes", post)).status, 401);
    assert.equal((await send(endpoint, "/health")).status, 200);
  });

  test("calls signed with its key are the app's while it runs, and refused when it has ended; the publisher's key stays", async () => {
    const before = keyIn(await filesOf(clock));
    const publisher = (await readAppKeys(clockFolder)).privateKey;
    assert.equal(await refusalOf(before), undefined);
    assert.equal(await refusalOf(publisher), undefined);
    const { errors } = await platform.graphql(`mutation { restartApp(name: "${clock}") { success } }`);
    assert.equal(errors, undefined, JSON.stringify(errors));
    const isRefused = async (): Promise<void> => assert.equal(await refusalOf(before), "AUTHENTICATION_FAILED");
    await eventually(isRefused, undefined, { timeoutMs: 60_000, what: "the key of the ended deployment is refused" });
    await untilState(platform, clock, "RUNNING", 120_000);
    const runs = async (): Promise<void> => {
      const now = keyIn(await filesOf(clock));
      assert.ok(!now.equals(before));
      assert.equal(await refusalOf(now), undefined);
    };
    await eventually(runs, undefined, { timeoutMs: 60_000, what: "the key of the next deployment is accepted" });
    await isRefused();
    assert.equal(await refusalOf(publisher), undefined);
  });
});
