import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PostgresBroker } from "@appserver/broker-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { createPlatformClient, type PlatformClient, registerApp } from "@appserver/sdk";
import { dumpTables, findCanary, type Haystacks, RunningPlatform, testApp, untilRouted } from "@appserver/testing/kit";
import { runAppserver } from "@appserver/testing/kit/production";
import { ConnectError } from "@connectrpc/connect";
import { withDatabase } from "../../faults/platform-records.ts";

const random = (): string => randomBytes(12).toString("hex");
/**
 * Secrets, a refused secret, and a plain value. The search must find the plain value where it is stored, or it proves nothing.
 */
const canaries = { first: `canary-${random()}`, second: `canary-${random()}`, refused: `canary-${random()}` };
const control = `control-${random()}`;

const definitions = [
  { key: "token", data_type: "STRING", sensitive: true, validation: { max_length: 60 } },
  { key: "list", data_type: "JSON", sensitive: true },
  { key: "size", data_type: "INT" },
  { key: "title", data_type: "STRING" },
];

describe("secret settings on a running platform", () => {
  let platform: RunningPlatform;
  let open: PlatformClient;
  /** An app with access to settings, but not to secrets. */
  let reader: PlatformClient;
  let appId = "";
  const seen: string[] = [];

  before(async () => {
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: { APPSERVER_LOG_LEVEL: "debug" } });
    open = createPlatformClient({ grpcUrl: platform.grpcUrl });
    await withDatabase(platform.dataDir, async (database) => {
      // Separate queues keep a copy of every event.
      const broker = new PostgresBroker({
        database,
        clock: new SystemClock(),
        logger: silentLogger,
        prefetch: 10,
        maxRetries: 5,
      });
      const options = { prefix: "canary.subscriber.", types: ["settings.updated", "app.installed", "app.state_changed"] };
      await (await broker.consume(options, () => Promise.reject(new Error("kept")))).close();
    });
    const install = async (name: string, more: object) => {
      const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
      const app = await testApp({ name, web_app: { api }, ...more });
      const { app: registered } = await registerApp(open, app);
      await platform.graphql(`mutation { approvePermissions(name: "${name}", scopes: ["settings:read"]) { success } }`);
      await open.marketplace.installApp({ name });
      await untilRouted(platform.httpUrl, name);
      const client = createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } });
      return { id: registered?.id ?? "", client };
    };
    appId = (await install("com.example.keeper", { settings: { definitions } })).id;
    const scope = { scope: "settings:read", resource_type: "platform", reason: "Shows them." };
    reader = (await install("com.example.reader", { required_permissions: [scope] })).client;
  });
  after(() => platform.stop());

  const keep = async (answer: Promise<unknown>): Promise<void> => {
    const shown = await answer.catch((error: unknown) => {
      const { rawMessage, details, metadata } = ConnectError.from(error);
      return { rawMessage, details, metadata: [...metadata.entries()] };
    });
    seen.push(JSON.stringify(shown, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
  };
  const values = async () => (await open.settings.getSettings({ appId })).settings?.values;

  const haystacks = async (): Promise<Haystacks> => {
    const files = (await readdir(platform.dataDir, { recursive: true, withFileTypes: true })).filter(
      (file) => file.isFile() && !file.parentPath.includes("postgres"),
    );
    const contents = await Promise.all(
      files.map(async (file) => [`file ${file.name}`, await readFile(join(file.parentPath, file.name))] as const),
    );
    const metrics = await fetch(`${platform.httpUrl}/metrics`);
    return {
      ...Object.fromEntries(contents),
      ...(await withDatabase(platform.dataDir, dumpTables)),
      "/metrics": await metrics.text(),
      "responses to others": seen.join("\n"),
    };
  };
  const nowhere = async (): Promise<void> => {
    const places = await haystacks();
    for (const canary of Object.values(canaries)) assert.deepEqual(findCanary(canary, places), []);
    assert.deepEqual(findCanary(control, places), ["settings.values"]);
    assert.match(String(places["settings.values"]), /v1:k[0-9a-f]{8}:/);
    assert.match(String(places["broker.messages"]), /settings\.updated/);
    assert.match(String(places["platform.audit_log"]), /settings\.update/);
    assert.match(String(places["file server.log"]), /UpdateSettings/);
  };

  test("secrets are found only in responses to callers with access to them", async () => {
    const { first, second, refused } = canaries;
    await open.settings.updateSettings({ appId, values: { token: first, list: { nested: [second] }, title: control } });
    const wrong = { token: refused.repeat(3), size: refused, nothing: refused, list: { deep: refused } };
    await keep(open.settings.updateSettings({ appId, values: wrong }));
    await keep(open.settings.updateSettings({ appId, values: { list: refused }, expectedVersion: 77n }));
    const mutation =
      "mutation ($id: ID!, $s: JSON!) { updateSettings(appID: $id, settings: $s) { success error { code message details } } }";
    await keep(platform.graphql(mutation, { id: appId, s: wrong }));
    await keep(platform.graphql(mutation, { id: appId, s: refused }));
    await keep(platform.graphql(mutation.replace("$s: JSON!", "$s: Int!"), { id: appId, s: 1 }));
    await keep(reader.settings.updateSettings({ appId, values: { token: refused } }));
    for (const read of [reader.settings.getSettings({ appId }), reader.settings.getSetting({ appId, key: "token" })]) {
      const answer = JSON.stringify(await read, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
      assert.match(answer, /\*{8}/);
      // The reader has access to plain values.
      seen.push(answer.replaceAll(control, ""));
    }
    assert.deepEqual(await values(), { token: first, list: { nested: [second] }, title: control });
    await nowhere();
  });

  test("no secret is found after a key rotation on the running platform, and no read fails during it", async () => {
    const done = new AbortController();
    let reads = 0;
    const reading = (async () => {
      for (; !done.signal.aborted; reads += 1) assert.equal((await values())?.["token"], canaries.first);
    })();
    const command = ["settings", "rotate-key", "dev"];
    const { stdout: output, stderr } = await runAppserver(command, { APPSERVER_DATA_DIR: platform.dataDir });
    done.abort();
    await reading;
    assert.match(output, /2 values encrypted with the key k[0-9a-f]{8}/, stderr);
    seen.push(output);
    assert.ok(reads > 0);
    assert.equal((await values())?.["token"], canaries.first);
    const [, newest = ""] = /key (k[0-9a-f]{8})/.exec(output) ?? [];
    const rows = (await haystacks())["settings.values"] ?? "";
    assert.equal(String(rows).split(`v1:${newest}:`).length, 3);
    await nowhere();
  });
});
