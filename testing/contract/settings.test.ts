import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { createPlatformClient, type PlatformClient } from "@appserver/sdk";
import {
  eventually,
  type PlatformUnderTest,
  startPlatform,
  testApp,
  uniqueName,
  untilRouted,
  untilStatus,
} from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { dataOf } from "./commands.ts";

const definitions = [
  {
    key: "page.size",
    data_type: "INT",
    default_value: "20",
    validation: { min: 1, max: 100 },
    ui_hints: { input_type: "number" },
  },
  { key: "title", data_type: "STRING_REQUIRED", required: true, default_value: '"Untitled"', validation: { max_length: 10 } },
  { key: "ratio", data_type: "FLOAT" },
  { key: "on", data_type: "BOOL", default_value: "true" },
  { key: "words", data_type: "STRING_ARRAY", validation: { pattern: "^[a-z]+$" } },
  { key: "pairs", data_type: "KVPAIR_ARRAY" },
  { key: "extra", data_type: "JSON" },
  { key: "token", data_type: "STRING", sensitive: true, validation: { min_length: 8 } },
];

interface Settings {
  readonly appId: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly schema: { readonly definitions: readonly Readonly<Record<string, unknown>>[] };
  readonly version: number;
  readonly secretsSet: readonly string[];
  readonly updatedAt: string | null;
  readonly updatedBy: string | null;
  readonly conditions: readonly { readonly type: string }[];
}
interface MutationResult {
  readonly success: boolean;
  readonly settings: Settings | null;
  readonly error: { readonly code: string; readonly message: string; readonly details: Record<string, unknown> } | null;
}

const fields = "appId values schema version secretsSet updatedAt updatedBy conditions { type }";
const resultFields = `success settings { ${fields} } error { code message details }`;

describe("settings over GraphQL and gRPC", () => {
  let platform: PlatformUnderTest;
  /** The administrator. */
  let open: PlatformClient;
  let own: PlatformClient;
  let other: PlatformClient;
  let appId = "";

  before(async () => {
    platform = await startPlatform();
    open = platform.client();
    const install = async (name: string, settings?: object) => {
      const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9", timeout_ms: 1000 };
      const app = await testApp({ name, web_app: { api }, ...(settings ? { settings } : {}) });
      const registered = await platform.register(app);
      await open.marketplace.installApp({ name });
      await untilRouted(platform.httpUrl, name);
      const client = createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } });
      return { id: registered.app?.id ?? "", client };
    };
    const mine = await install(uniqueName("com.example.configured"), { definitions });
    appId = mine.id;
    own = mine.client;
    other = (await install(uniqueName("com.example.unconfigured"))).client;
  });
  after(() => platform.stop());

  const data = <T>(query: string, variables: object = {}): Promise<T> => dataOf<T>(platform, query, { appId, ...variables });
  const read = async () =>
    (await data<{ settings: Settings }>(`query ($appId: ID!) { settings(appID: $appId) { ${fields} } }`)).settings;
  const update = async (settings: unknown, expectedVersion?: number) => {
    const query = `mutation ($appId: ID!, $settings: JSON!, $expectedVersion: Int) {
      updateSettings(appID: $appId, settings: $settings, expectedVersion: $expectedVersion) { ${resultFields} } }`;
    return (await data<{ updateSettings: MutationResult }>(query, { settings, expectedVersion })).updateSettings;
  };
  const refusal = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail("the call was not refused"),
      (reason: unknown) => ConnectError.from(reason),
    );
    const [info] = error.findDetails(ErrorInfoSchema);
    const violations = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
    return { code: error.code, reason: info?.reason, fields: violations.map(({ field }) => field) };
  };

  test("an installed app has its defaults, and its schema with the documented names", async () => {
    const settings = await read();
    assert.deepEqual(
      [settings.appId, settings.values, settings.version, settings.secretsSet, settings.updatedAt],
      [appId, { "page.size": 20, title: "Untitled", on: true }, 0, [], null],
    );
    assert.deepEqual(
      settings.schema.definitions.map(({ key }) => key),
      [
        ...definitions.map(({ key }) => key),
        "docker.image.stage",
        "app.auto_upgrade",
        "app.sleep_after",
        "backup.before_upgrade",
        "containers.replicas",
      ],
    );
    assert.partialDeepStrictEqual(settings.schema.definitions[0], {
      key: "page.size",
      data_type: "INT",
      default_value: "20",
      validation: { min: 1, max: 100 },
      ui_hints: { input_type: "number" },
    });
  });

  test("updateSettings merges; null restores the default; settingValue returns the source of a value", async () => {
    const values = { "page.size": 50, ratio: 0.5, words: ["a", "b"], pairs: [{ key: "k", value: 1 }], extra: { a: [null] } };
    const first = await update(values);
    const updatedBy = platform.variant === "embedded" ? "system" : `user:${platform.userId("admin")}`;
    assert.partialDeepStrictEqual(first, { success: true, error: null, settings: { updatedBy } });
    assert.deepEqual(first.settings?.values, { title: "Untitled", on: true, ...values });
    const second = await update({ "page.size": null, on: false });
    assert.deepEqual([second.settings?.values["page.size"], second.settings?.values["on"]], [20, false]);
    assert.equal(second.settings?.version, (first.settings?.version ?? 0) + 1);
    const one = (key: string) =>
      data<{ settingValue: unknown }>(
        "query ($appId: ID!, $key: String!) { settingValue(appID: $appId, key: $key) { key value dataType sensitive isSet source } }",
        { key },
      );
    assert.deepEqual((await one("page.size")).settingValue, {
      key: "page.size",
      value: 20,
      dataType: "INT",
      sensitive: false,
      isSet: false,
      source: "DEFAULT",
    });
    assert.partialDeepStrictEqual(await one("ratio"), { settingValue: { value: 0.5, isSet: true, source: "STORED" } });
    assert.partialDeepStrictEqual(await one("token"), { settingValue: { value: null, sensitive: true, isSet: false } });
    assert.deepEqual(await one("nothing"), { settingValue: null });
  });

  test("secrets: plain without authentication and for the app itself, masked or refused for others", async () => {
    await update({ token: "a-secret-token" });
    const settings = await read();
    assert.deepEqual([settings.values["token"], settings.secretsSet], ["a-secret-token", ["token"]]);
    const mine = (await own.settings.getSettings({ appId })).settings;
    assert.equal(mine?.values?.["token"], "a-secret-token");
    const denied = await refusal(other.settings.getSettings({ appId }));
    assert.deepEqual([denied.code, denied.reason], [Code.PermissionDenied, "PERMISSION_DENIED"]);
    assert.equal((await refusal(other.settings.updateSettings({ appId, values: {} }))).reason, "PERMISSION_DENIED");
    const cookie = await platform.login("bob");
    const response = await fetch(`${platform.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, origin: platform.httpUrl },
      body: JSON.stringify({ query: `{ settings(appID: "${appId}") { values } }` }),
    });
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    assert.equal(errors[0]?.extensions.code, "PERMISSION_DENIED");
  });

  test("a missing app: null for a query, NOT_FOUND for a mutation and over gRPC", async () => {
    const missing = "0192f0c0-0000-7000-8000-000000000001";
    for (const id of [missing, "no-uuid"]) {
      const queries = await platform.graphql(
        'query ($id: ID!) { settings(appID: $id) { values } settingValue(appID: $id, key: "a") { value } }',
        { id },
      );
      assert.deepEqual(queries, { data: { settings: null, settingValue: null } });
      for (const mutation of ["updateSettings(appID: $id, settings: {})", "deleteSettings(appID: $id)"]) {
        const { errors } = await platform.graphql(`mutation ($id: ID!) { ${mutation} { success } }`, { id });
        assert.deepEqual(
          errors?.map(({ extensions }) => extensions.code),
          ["NOT_FOUND"],
        );
      }
      assert.equal((await refusal(open.settings.getSettings({ appId: id }))).code, Code.NotFound);
    }
  });

  test("gRPC: an update, and errors with the fields", async () => {
    const { settings } = await own.settings.updateSettings({ appId, values: { title: "Mine", "page.size": 7 } });
    assert.deepEqual(
      [settings?.values?.["title"], settings?.updatedBy],
      ["Mine", `app:${uniqueName("com.example.configured")}`],
    );
    assert.equal(settings?.values?.["page.size"], 7);
    assert.equal(settings?.schema?.definitions.length, definitions.length + 5);
    const refused = await refusal(own.settings.updateSettings({ appId, values: { "page.size": "7", nothing: true } }));
    assert.deepEqual(refused, { code: Code.InvalidArgument, reason: "INVALID_REQUEST", fields: ["page.size", "nothing"] });
  });

  test("WatchSettings sends the current settings, then every change over any transport", async () => {
    const stop = new AbortController();
    const watch = own.settings.watchSettings({ appId }, { signal: stop.signal, timeoutMs: 0 })[Symbol.asyncIterator]();
    const next = async () => (await watch.next()).value?.settings;
    const start = await next();
    assert.ok(start?.values);
    await update({ ratio: 0.25 });
    const changed = await next();
    assert.deepEqual([changed?.values?.["ratio"], changed?.version], [0.25, (start?.version ?? 0n) + 1n]);
    await data("mutation ($appId: ID!) { deleteSettings(appID: $appId) { success } }", { appId });
    assert.deepEqual((await next())?.values, { "page.size": 20, title: "Untitled", on: true });
    stop.abort();
    const denied = other.settings.watchSettings({ appId })[Symbol.asyncIterator]().next();
    assert.equal((await refusal(denied)).reason, "PERMISSION_DENIED");
  });

  test("uninstall keeps settings unless the command purges them", async () => {
    await update({ ratio: 0.5, token: "a-secret-token" });
    const name = uniqueName("com.example.configured");
    const untilRead = (ratio: number | undefined, secretsSet: readonly string[]) =>
      eventually(async () => {
        const settings = await read();
        assert.deepEqual([settings.values["ratio"], settings.secretsSet], [ratio, secretsSet]);
      });
    await open.marketplace.uninstallApp({ name });
    await untilStatus(platform.httpUrl, `/api/apps/${name}/`, 404);
    await untilRead(0.5, ["token"]);
    await open.marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name);
    await untilRead(0.5, ["token"]);
    await open.marketplace.uninstallApp({ name, purgeData: true });
    await untilStatus(platform.httpUrl, `/api/apps/${name}/`, 404);
    await open.marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name);
    await untilRead(undefined, []);
  });

  test("a missing required setting is a condition of the settings and of the app until it is set", async () => {
    const name = uniqueName("com.example.demanding");
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
    const settings = { definitions: [{ key: "needed", data_type: "STRING_REQUIRED", required: true }] };
    const { app } = await platform.register(await testApp({ name, web_app: { api }, settings }));
    await open.marketplace.installApp({ name });
    const conditions = async () =>
      (
        await data<{ app: { conditions: object[] } }>(
          `{ app(name: "${name}") { conditions { type status reason message } } }`,
          {},
        )
      ).app.conditions;
    const missing = { type: "SettingsComplete", status: "False", reason: "RequiredMissing", message: "needed is required" };
    await eventually(async () => assert.deepEqual(await conditions(), [missing]));
    await untilRouted(platform.httpUrl, name);
    const { settings: stored } = await open.settings.getSettings({ appId: app?.id ?? "" });
    assert.deepEqual(
      stored?.conditions.map(({ type, message }) => [type, message]),
      [["SettingsComplete", "needed is required"]],
    );
    await open.settings.updateSettings({ appId: app?.id ?? "", values: { needed: "here" } });
    await eventually(async () => assert.deepEqual(await conditions(), []));
  });
});
