import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { administratorRole } from "@appserver/contracts/authorization";
import { type OperationError, platformOperations } from "@appserver/contracts/operations";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { createHookSubscriber, DropHook, type HookSubscriber } from "@appserver/sdk";
import {
  approvePermissions,
  eventually,
  type PlatformUnderTest,
  send,
  startOwnPlatform,
  type TestApp,
  testApp,
  uniqueName,
} from "@appserver/testing/kit";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { command, dataOf, purgeApp } from "./commands.ts";
import { OperationCalls } from "./operation-calls.ts";
import { developmentTest, foreignAccountsTest } from "./variants.ts";

const named = (suffix: string): string => uniqueName(`com.example.refusal-${suffix}`);
const trust = {
  account: named("account"),
  provider: "GITHUB",
  apps: ["com.example.notes"],
  repository: "acme/notes",
  repositoryId: "123",
  ref: "refs/heads/main",
  audience: named("audience"),
};
/** No name leads there. */
const target = { name: named("target").replace("com.example.", ""), kind: "WEBHOOK", url: "http://receiver.invalid/" };
/** Version 1.1.0 is installed, and 1.0.0 and 1.2.0 are registered. `user` needs exactly the installed one. */
const base = named("base");
const user = named("user");
/** Its versions 1.0.0 and 1.2.0 need an approval that it lacks. The installed one needs none. */
const changed = named("changed");
/** These are registered only. `eager` needs an approval, and `lonely` an app that does not exist. */
const idle = named("idle");
const eager = named("eager");
const lonely = named("lonely");
/** The installation of `refused` is refused by `guard`, and that of `late` waits for it in vain. */
const guard = named("guard");
const refused = named("refused");
const late = named("late");

const scope = "audit:view";
const approval = { required_permissions: [{ scope, resource_type: "platform", reason: "Shows who did what." }] };
const otherDigest = "0".repeat(64);
const missing = "01a207a9-4200-700a-9f12-134197748461";

const ofDependency = "by the installation of an app that the other release needs, as by `installApp`";
const ofOldSchema = "only for an input schema that another version of the platform accepted";
const ofConfiguredTargets = "only for a target of the options: services/hooks/test/targets.test.ts";
const ofPeople = "only for people: services/access/test/access-requests.test.ts";
const ofItsApp = "only for the app of the run: services/activity/test/posted-runs.test.ts";
const ofTunnels = "by developer-tunnel.test.ts";
const ofUninstallation = "only for an app that writes while it is being uninstalled";
const ofGallery = "as by `installApp`, and otherwise by services/marketplace/test/gallery.test.ts";
/** Codes that the catalogue has and that are not provoked here. */
const notProvoked: Readonly<Record<string, string>> = {
  "tryApp CONFLICT": ofGallery,
  "tryApp INVALID_STATE": ofGallery,
  "tryApp APPROVAL_REQUIRED": ofGallery,
  "tryApp DEPENDENCY_UNSATISFIED": ofGallery,
  "tryApp UPSTREAM_ERROR": ofGallery,
  "tryApp UPSTREAM_TIMEOUT": ofGallery,
  "upgradeApp UPSTREAM_ERROR": ofDependency,
  "upgradeApp UPSTREAM_TIMEOUT": ofDependency,
  "rollbackApp UPSTREAM_ERROR": ofDependency,
  "rollbackApp UPSTREAM_TIMEOUT": ofDependency,
  "deleteApp DEPENDENCY_UNSATISFIED": "an app that others need cannot be uninstalled: it must fail in a new installation",
  "restoreAppSnapshot INVALID_STATE":
    "only with a snapshot that failed or is of a newer version: services/marketplace/test/snapshots.test.ts",
  "cloneApp INVALID_STATE": "only with a snapshot that is not complete: services/marketplace/test/clones.test.ts",
  "settingValue INVALID_STATE": "only for a secret whose key was lost",
  "updateSettings INVALID_STATE": ofUninstallation,
  "deleteSettings INVALID_STATE": ofUninstallation,
  "triggerActivity CONFLICT": "only if the first run of an idempotency key is deleted at that moment",
  "triggerActivity INVALID_STATE": ofOldSchema,
  "scheduleActivity INVALID_STATE": ofOldSchema,
  "finishActivityRun INVALID_STATE": ofItsApp,
  "reportActivityProgress INVALID_STATE": ofItsApp,
  "createServiceAccount INVALID_STATE": "only with 500 accounts: services/access/test/service-accounts.test.ts",
  "createServiceAccountToken INVALID_STATE": "only with 20 tokens, as well there",
  "trustPipeline INVALID_STATE": "only with 200 trusted pipelines: services/access/test/trusted-pipelines.test.ts",
  "requestAccess CONFLICT": ofPeople,
  "requestAccess INVALID_STATE": ofPeople,
  "decideAccessRequest INVALID_STATE": "only for a request that was decided, as well there",
  "invitePerson CONFLICT": "only with accounts of the platform: services/access/test/manage-access.test.ts",
  "createNotificationTarget INVALID_STATE": "only with 100 targets",
  "updateNotificationTarget INVALID_STATE": ofConfiguredTargets,
  "deleteNotificationTarget INVALID_STATE": ofConfiguredTargets,
  "openTunnel INVALID_STATE": ofTunnels,
  "openTunnel CONFLICT": ofTunnels,
};

describe("an operation throws the codes of the catalogue, on every transport that has it", () => {
  let platform: PlatformUnderTest;
  let calls: OperationCalls;
  let subscriber: HookSubscriber | undefined;
  const apps = new Map<string, TestApp>();
  /** Ids of apps by name, and those of the delayed run and of the delivery that never succeeds. */
  const ids: Record<string, string> = {};

  before(async () => {
    const environment = { APPSERVER_HOOKS_TIMEOUT: "1s" };
    platform = await startOwnPlatform("a subscriber is late after a second", { flags: ["--no-examples"], environment });
    calls = await OperationCalls.on(platform);
    await prepare();
  });
  after(async () => {
    await subscriber?.stop(0);
    // It subscribes to every later installation.
    await purgeApp(platform, guard);
    for (const id of [ids["target"], ids["other target"]])
      if (id) await command(platform, `deleteNotificationTarget(id: "${id}")`);
    await platform?.stop();
  });

  async function register(name: string, version = "1.0.0", fields: object = {}): Promise<void> {
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    const app = await testApp({ name, version, web_app: { api }, ...fields }, {}, apps.get(name)?.keys);
    apps.set(name, app);
    const { app: registered } = await platform.register(app);
    ids[name] = registered?.id ?? "";
  }

  async function prepare(): Promise<void> {
    const { marketplace, hooks, activities: runs } = platform.client();
    const upgrade = (name: string) => command(platform, `upgradeApp(name: "${name}") { success }`);
    await register(base);
    await marketplace.installApp({ name: base });
    await register(base, "1.1.0");
    await upgrade(base);
    const storage = [{ name: "data", mount_path: "/data", size: "1Mi" }];
    const dependencies = [{ app_name: base, kind: "HARD", version_constraint: "1.1.0" }];
    const activities = [{ name: "count", schedule: { cron: "0 3 1 1 *" } }];
    await register(user, "1.0.0", { dependencies, storage, activities });
    await marketplace.installApp({ name: user });
    await register(base, "1.2.0");

    await register(changed, "1.0.0", approval);
    await approvePermissions(platform, changed);
    await marketplace.installApp({ name: changed });
    await register(changed, "1.1.0");
    await upgrade(changed);
    await command(platform, `revokePermissions(name: "${changed}", scopes: ["${scope}"]) { success }`);
    await register(changed, "1.2.0", approval);

    for (const name of [idle, refused, late]) await register(name);
    await register(eager, "1.0.0", approval);
    await register(lonely, "1.0.0", { dependencies: [{ app_name: named("nobody"), kind: "HARD" }] });

    const veto = [{ scope: "app:veto", resource_type: "app", reason: "Refuses apps." }];
    const done = `${guard}.done`;
    const subscriptions = [{ hook_name: "app.on_create" }, { hook_name: done, path: "/unreachable" }];
    await register(guard, "1.0.0", { required_permissions: veto, hooks: subscriptions });
    await approvePermissions(platform, guard);
    await marketplace.installApp({ name: guard });
    await hooks.triggerHook({ name: done });
    type Deliveries = { readonly hookDeliveries: { readonly edges: readonly { readonly node: { readonly id: string } }[] } };
    const deliveries = `{ hookDeliveries(hookName: "${done}") { edges { node { id } } } }`;
    ids["delivery"] = (await dataOf<Deliveries>(platform, deliveries)).hookDeliveries.edges[0]?.node.id ?? "";
    await command(platform, `createServiceAccount(name: "${named("account")}") { token { id } }`);
    const { provider, ...texts } = trust;
    const given = Object.entries(texts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    await command(platform, `trustPipeline(provider: ${provider}, ${given.join(", ")}) { id }`);
    ids["notification"] = await undelivered();
    await listen();
    const runAt = { seconds: BigInt(Math.ceil(Date.now() / 1_000) + 3_600), nanos: 0 };
    const { run } = await runs.triggerActivity({ appName: user, activity: "count", runAt });
    ids["run"] = run?.id ?? "";
    type Schedules = { readonly activitySchedules: readonly { readonly id: string }[] };
    const schedules = `{ activitySchedules(appName: "${user}") { id } }`;
    ids["schedule"] = (await dataOf<Schedules>(platform, schedules)).activitySchedules[0]?.id ?? "";
  }

  /** Decides about installations as `guard`. */
  async function createTarget(name: string): Promise<string> {
    const { createNotificationTarget: created } = await command<{
      readonly createNotificationTarget: { readonly target: { readonly id: string } };
    }>(platform, `createNotificationTarget(name: "${name}", kind: WEBHOOK, url: "${target.url}") { target { id } }`);
    return created.target.id;
  }

  /** Returns the id of a delivery to a notification target that does not arrive. */
  async function undelivered(): Promise<string> {
    ids["target"] = await createTarget(target.name);
    ids["other target"] = await createTarget(`${target.name}-2`);
    await command(platform, `setAppEnabled(name: "${user}", enabled: false) { success }`);
    await command(platform, `setAppEnabled(name: "${user}", enabled: true) { success }`);
    type Deliveries = {
      readonly notificationDeliveries: { readonly edges: readonly { readonly node: { readonly id: string } }[] };
    };
    const deliveries = `{ notificationDeliveries(targetId: "${ids["target"]}") { edges { node { id } } } }`;
    const found = await eventually(
      async () => (await dataOf<Deliveries>(platform, deliveries)).notificationDeliveries.edges,
      ({ length }) => length > 0,
    );
    return found[0]?.node.id ?? "";
  }

  async function listen(): Promise<void> {
    const { privateKey } = (apps.get(guard) as TestApp).keys;
    subscriber = createHookSubscriber({ grpcUrl: platform.grpcUrl, app: { name: guard, privateKey } });
    subscriber.onHook("app.on_create", async ({ data }) => {
      const { appName } = data as { readonly appName: string };
      if (appName === refused) throw new DropHook("it is not wanted");
      if (appName === late) await new Promise(() => {});
    });
    subscriber.start();
    const open = new RegExp(`^appserver_hook_open_streams\\{app="${guard}".* [1-9]`, "m");
    await eventually(async () => open.test((await send(platform.httpUrl, "/metrics")).text));
  }

  /** Returns the request to register another app with the key of this one. */
  const withKeyOf = (name: string): JsonObject => ({
    manifest: { ...(toJson(AppManifestSchema, (apps.get(name) as TestApp).manifest) as JsonObject), name: named("other") },
    ...platform.registration,
  });

  type Row = readonly [operation: string, code: OperationError, args: () => JsonObject, status?: number];
  const rows: readonly Row[] = [
    ["registerApp", "CONFLICT", () => withKeyOf(idle)],
    ["registerAppStream", "CONFLICT", () => ({ header: withKeyOf(idle) })],
    ["installPlan", "INVALID_STATE", () => ({ name: base, version: "1.2.0" })],
    ["upgradePlan", "INVALID_STATE", () => ({ name: user })],
    ["installApp", "CONFLICT", () => ({ name: idle, planDigest: otherDigest })],
    ["installApp", "INVALID_STATE", () => ({ name: base })],
    ["installApp", "APPROVAL_REQUIRED", () => ({ name: eager })],
    ["installApp", "DEPENDENCY_UNSATISFIED", () => ({ name: lonely })],
    ["installApp", "UPSTREAM_ERROR", () => ({ name: refused })],
    ["upgradeApp", "CONFLICT", () => ({ name: base, planDigest: otherDigest })],
    ["upgradeApp", "INVALID_STATE", () => ({ name: user })],
    ["upgradeApp", "APPROVAL_REQUIRED", () => ({ name: changed })],
    ["upgradeApp", "DEPENDENCY_UNSATISFIED", () => ({ name: base })],
    ["rollbackApp", "CONFLICT", () => ({ name: base, planDigest: otherDigest })],
    ["rollbackApp", "INVALID_STATE", () => ({ name: user })],
    ["rollbackApp", "APPROVAL_REQUIRED", () => ({ name: changed })],
    ["rollbackApp", "DEPENDENCY_UNSATISFIED", () => ({ name: base })],
    ["redeployApp", "INVALID_STATE", () => ({ name: user })],
    ["restartApp", "INVALID_STATE", () => ({ name: user })],
    ["setAppEnabled", "INVALID_STATE", () => ({ name: idle, enabled: false })],
    ["uninstallApp", "INVALID_STATE", () => ({ name: idle })],
    ["uninstallApp", "DEPENDENCY_UNSATISFIED", () => ({ name: base })],
    ["deleteApp", "INVALID_STATE", () => ({ name: user })],
    ["deleteStorage", "INVALID_STATE", () => ({ name: user, storage: "data" })],
    ["createAppSnapshot", "INVALID_STATE", () => ({ name: user })],
    ["replaceKey", "CONFLICT", () => ({ name: user, certificate: String(apps.get(base)?.keys.certificate) })],
    ["approvePermissions", "CONFLICT", () => ({ name: eager, scopes: [scope], manifestDigest: otherDigest })],
    ["appLogs", "INVALID_STATE", () => ({ name: user })],
    ["appLog", "INVALID_STATE", () => ({ name: user })],
    ["updateSettings", "CONFLICT", () => ({ appID: ids[user] ?? "", settings: {}, expectedVersion: 99 }), 412],
    ["deleteSettings", "CONFLICT", () => ({ appID: ids[user] ?? "", expectedVersion: 99 }), 412],
    // NOT_FOUND of what is no subscription is checked in `operations.test.ts`.
    ["operationProgress", "NOT_FOUND", () => ({ id: missing })],
    ["activityProgress", "NOT_FOUND", () => ({ runId: missing })],
    ["appLog", "NOT_FOUND", () => ({ name: named("nobody") })],
    ["createServiceAccount", "CONFLICT", () => ({ name: named("account") })],
    ["createNotificationTarget", "CONFLICT", () => target],
    ["startBackup", "INVALID_STATE", () => ({})],
    ["updateNotificationTarget", "CONFLICT", () => ({ id: ids["other target"] ?? "", name: target.name })],
    ["resendNotificationDelivery", "INVALID_STATE", () => ({ id: ids["notification"] ?? "" })],
    ["trustPipeline", "CONFLICT", () => trust],
    ["resendHookDelivery", "INVALID_STATE", () => ({ id: ids["delivery"] ?? "" })],
    ["deleteSchedule", "INVALID_STATE", () => ({ id: ids["schedule"] ?? "" })],
    ["retryActivityRun", "INVALID_STATE", () => ({ id: ids["run"] ?? "" })],
  ];
  /** Where the platform has no accounts. */
  const accountRows: readonly Row[] = [
    ["setPersonActive", "INVALID_STATE", () => ({ id: "user:eve", isActive: false })],
    ["removePerson", "INVALID_STATE", () => ({ id: "user:eve" })],
    ["personRecords", "INVALID_STATE", () => ({ id: "user:eve" })],
    ["invitePerson", "INVALID_STATE", () => ({ email: "eve@example.test" })],
  ];
  /** On a platform that no other test uses. */
  const ownRows: readonly Row[] = [
    ["installApp", "UPSTREAM_TIMEOUT", () => ({ name: late })],
    ["revokeAccess", "INVALID_STATE", () => ({ user: "user:admin", relation: "assignee", object: administratorRole })],
  ];
  /** Commands that another command delays until they are refused. */
  const busy: Readonly<Record<string, JsonObject>> = {
    redeployApp: {},
    restartApp: {},
    setAppEnabled: { enabled: true },
    uninstallApp: {},
    deleteApp: {},
    deleteStorage: { storage: "data" },
    createAppSnapshot: {},
    restoreAppSnapshot: { snapshot: missing },
    cloneApp: { snapshot: missing, as: idle },
    deleteAppSnapshot: { snapshot: missing },
    revokePermissions: { scopes: [scope] },
  };

  test("every code of the catalogue is provoked below, or has a reason why it is not", () => {
    const provoked = [
      ...[...rows, ...accountRows, ...ownRows].map(([operation, code]) => `${operation} ${code}`),
      ...Object.keys(busy).map((operation) => `${operation} CONFLICT`),
    ];
    const catalogued = Object.entries(platformOperations).flatMap(([operation, { graphql, errors = [] }]) =>
      errors.filter((code) => code !== "NOT_FOUND" || graphql === "subscription").map((code) => `${operation} ${code}`),
    );
    assert.deepEqual([...provoked, ...Object.keys(notProvoked)].sort(), catalogued.sort());
  });

  for (const [declare, table] of [
    [test, rows],
    [foreignAccountsTest, accountRows],
    [developmentTest, ownRows],
  ] as const)
    for (const [operation, code, args, status] of table)
      void declare(`${operation}: ${code}`, async () => {
        await calls.assertThrows({ operation, code, args: args(), ...(status === undefined ? {} : { status }) });
      });

  test("CONFLICT while another command works on the app", async () => {
    const lease = `marketplace:command:${idle}`;
    const hold = `insert into platform.leases (name, holder, fence, expires_at) values ($1, 'test', 1, now() + interval '1 minute')
      on conflict (name) do update set expires_at = excluded.expires_at`;
    await platform.onDatabase((sql) => sql.query(hold, [lease]));
    try {
      const details = { app: idle };
      const refusals = Object.entries(busy).map(([operation, args]) =>
        calls.assertThrows({ operation, code: "CONFLICT", args: { name: idle, ...args }, details }),
      );
      await Promise.all(refusals);
    } finally {
      await platform.onDatabase((sql) => sql.query("delete from platform.leases where name = $1", [lease]));
    }
  });
});
