import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { createPlatformClient, type PlatformClient, registerApp } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  eventually,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilState,
} from "@appserver/testing/kit";
import { buildSchema } from "graphql";
import { developmentTest } from "./variants.ts";

const clock = "com.example.clock";
const scope = "audit:view";

/** The entries that each command writes. */
const actions: Readonly<Record<string, readonly string[]>> = {
  registerApp: ["app.register"],
  registerAppStream: ["app.update"],
  approvePermissions: ["permission.approve"],
  installApp: ["app.install"],
  upgradeApp: ["app.upgrade"],
  rollbackApp: ["app.rollback"],
  setAppEnabled: ["app.disable", "app.enable"],
  revokePermissions: ["permission.revoke"],
  replaceKey: ["app.replace_key"],
  uninstallApp: ["app.uninstall"],
  deleteStorage: ["app.delete_storage"],
  deleteApp: ["app.delete"],
  // These need a container.
  restartApp: ["app.restart"],
  redeployApp: ["app.redeploy"],
  createAppSnapshot: ["app.create_snapshot"],
  restoreAppSnapshot: ["app.restore_snapshot"],
  cloneApp: ["app.register", "app.clone"],
  deleteAppSnapshot: ["app.delete_snapshot"],
};
const ofSnapshots = ["createAppSnapshot", "restoreAppSnapshot", "cloneApp", "deleteAppSnapshot"];
const ofContainers = ["restartApp", "redeployApp", ...ofSnapshots];
/** It registers and installs: services/marketplace/test/gallery.test.ts. */
const ofGallery = ["tryApp"];

/** The commands of one interface, in an order in which each of them succeeds. */
type Commands = Readonly<Record<string, () => Promise<unknown>>>;

describe("every command of the marketplace leaves an audit entry, whatever its interface", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let client: PlatformClient;
  let cookie = "";
  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
    cookie = await platform.login("admin");
    const token = cookie.slice(cookie.indexOf("=") + 1);
    const { grpcUrl } = platform;
    client = platform.variant === "embedded" ? createPlatformClient({ grpcUrl, token }) : platform.client();
  });
  after(async () => {
    await platform?.stop();
    await upstream?.stop();
  });

  /** As a signed-in administrator, whom the audit log names. */
  const mutate = async (field: string, variables: Readonly<Record<string, unknown>>): Promise<void> => {
    const types: Readonly<Record<string, string>> = {
      scopes: "[String!]!",
      enabled: "Boolean!",
      name: "String!",
      certificate: "String!",
      storage: "String!",
      snapshot: "ID!",
      as: "String!",
    };
    const declared = Object.keys(variables).map((name) => `$${name}: ${types[name]}`);
    const passed = Object.keys(variables).map((name) => `${name}: $${name}`);
    const query = `mutation (${declared.join(", ")}) { ${field}(${passed.join(", ")}) { success } }`;
    const headers = { "content-type": "application/json", cookie };
    const answer = await send(platform.httpUrl, "/graphql", {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables }),
    });
    assert.deepEqual(JSON.parse(answer.text), { data: { [field]: { success: true } } }, answer.text);
  };
  const entries = (target: string) =>
    platform.onDatabase(async (sql) => {
      const text =
        "select actor, action, outcome, trace_id is not null as traced from platform.audit_log where target = $1 order by id";
      return (await sql.query<{ actor: string; action: string; outcome: string; traced: boolean }>(text, [target])).rows;
    });
  const version = (name: string, number: string, keys?: TestApp["keys"], size = 1) =>
    testApp(
      {
        name,
        version: number,
        web_app: { api: { base_path: "/", upstream_base_url: upstream.url }, assets: ["main.js"] },
        required_permissions: [{ scope, resource_type: "platform", reason: "Shows who did what." }],
        storage: [{ name: "data", mount_path: "/data", size: "1Mi" }],
      },
      { "main.js": `export const text = "${"x".repeat(size)}";\n` },
      keys,
    );
  const register = (app: TestApp) => registerApp(client, app, platform.registration.token);

  /** Runs the commands, and asserts that each writes exactly its entries, in the name of the administrator. */
  const assertAudited = async (name: string, commands: Commands): Promise<void> => {
    for (const [command, run] of Object.entries(commands)) {
      const earlier = (await entries(`app:${name}`)).length;
      await run();
      const by = { actor: `user:${platform.userId("admin")}`, outcome: "success", traced: true };
      assert.deepEqual(
        (await entries(`app:${name}`)).slice(earlier),
        actions[command]?.map((action) => ({ ...by, action })),
        command,
      );
    }
  };

  test("gRPC", async () => {
    const name = uniqueName("com.example.audited-grpc");
    const first = await version(name, "1.0.0");
    const registration: Commands = { registerApp: () => register(first) };
    const afterwards: Commands = {
      installApp: () => client.marketplace.installApp({ name }),
      // Assets of this size are sent as a stream.
      registerAppStream: async () => register(await version(name, "1.1.0", first.keys, 2_000_000)),
      uninstallApp: () => client.marketplace.uninstallApp({ name }),
    };
    const commandsOfService = MarketplaceService.methods
      .map(({ localName }) => localName)
      .filter((each) => !/^(get|validate)/.test(each));
    assert.deepEqual(Object.keys({ ...registration, ...afterwards }).sort(), commandsOfService.sort());
    await assertAudited(name, registration);
    await mutate("approvePermissions", { name, scopes: [scope] });
    await assertAudited(name, afterwards);
    await mutate("deleteApp", { name });
  });

  test("GraphQL", async () => {
    const name = uniqueName("com.example.audited-graphql");
    const first = await version(name, "1.0.0");
    const other = await testApp({ name });
    await register(first);
    const ofVersionOne: Commands = {
      approvePermissions: () => mutate("approvePermissions", { name, scopes: [scope] }),
      installApp: () => mutate("installApp", { name }),
    };
    const afterwards: Commands = {
      upgradeApp: () => mutate("upgradeApp", { name }),
      rollbackApp: () => mutate("rollbackApp", { name }),
      setAppEnabled: async () => {
        for (const enabled of [false, true]) await mutate("setAppEnabled", { name, enabled });
      },
      revokePermissions: () => mutate("revokePermissions", { name, scopes: [scope] }),
      replaceKey: () => mutate("replaceKey", { name, certificate: other.keys.certificate }),
      uninstallApp: () => mutate("uninstallApp", { name }),
      deleteStorage: () => mutate("deleteStorage", { name, storage: "data" }),
      deleteApp: () => mutate("deleteApp", { name }),
    };
    const mutations = Object.values(buildSchema(readSchema()).getMutationType()?.getFields() ?? {});
    const ofMarketplace = mutations.filter(({ type }) => String(type) === "AppMutationResult!");
    assert.deepEqual(
      [...Object.keys({ ...ofVersionOne, ...afterwards }), ...ofContainers, ...ofGallery].sort(),
      ofMarketplace.map((field) => field.name).sort(),
    );
    await assertAudited(name, ofVersionOne);
    await register(await version(name, "1.1.0", first.keys));
    await assertAudited(name, afterwards);
  });

  test("REST", async () => {
    const name = uniqueName("com.example.audited-rest");
    const id = (await register(await version(name, "1.0.0"))).app?.id;
    const path = `/api/v2/apps/${id}/approvals`;
    const call = async (method: string, target: string, body?: string) => {
      const headers = { cookie, "content-type": "application/json" };
      const answer = await send(platform.httpUrl, target, { method, headers, ...(body === undefined ? {} : { body }) });
      assert.equal(answer.status, 200, answer.text);
    };
    await assertAudited(name, {
      approvePermissions: () => call("POST", path, JSON.stringify({ scopes: [scope] })),
      revokePermissions: () => call("DELETE", `${path}/${scope}`),
    });
  });

  developmentTest("commands of containers", async () => {
    await untilState(platform, clock, "RUNNING");
    await assertAudited(clock, { redeployApp: () => mutate("redeployApp", { name: clock }) });
    // Cancels the redeployment: an app does not restart during a switch.
    await mutate("rollbackApp", { name: clock });
    await assertAudited(clock, { restartApp: () => mutate("restartApp", { name: clock }) });
  });

  developmentTest("commands of snapshots", async () => {
    await untilState(platform, clock, "RUNNING");
    const finished = async (table: string, app = clock): Promise<string> => {
      const text = `select id, state from orchestration.${table} where app_name = $1 order by id desc limit 1`;
      const read = async () =>
        (await platform.onDatabase((sql) => sql.query<{ readonly id: string; readonly state: string }>(text, [app]))).rows[0];
      const found = await eventually(read, (seen) => seen?.state === "COMPLETED", { timeoutMs: 60_000, what: table });
      return found?.id ?? "";
    };
    await assertAudited(clock, { createAppSnapshot: () => mutate("createAppSnapshot", { name: clock }) });
    const snapshot = await finished("snapshots");
    await assertAudited(clock, { restoreAppSnapshot: () => mutate("restoreAppSnapshot", { name: clock, snapshot }) });
    await finished("snapshot_restores");
    const as = uniqueName("com.example.clone");
    await assertAudited(as, { cloneApp: () => mutate("cloneApp", { name: clock, snapshot, as }) });
    await finished("snapshot_restores", as);
    await assertAudited(clock, { deleteAppSnapshot: () => mutate("deleteAppSnapshot", { name: clock, snapshot }) });
    await untilState(platform, clock, "RUNNING");
  });
});
