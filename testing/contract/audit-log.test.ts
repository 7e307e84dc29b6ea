import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createActivityWorker, createHookSubscriber } from "@appserver/sdk";
import {
  eventually,
  type PlatformUnderTest,
  promtoolFindings,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";
import { productionTest } from "./variants.ts";

const accountant = uniqueName("com.example.accountant");
const hook = `${accountant}.closed`;
const secret = "canary-in-data-and-input";

interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly outcome: string;
  readonly details: Readonly<Record<string, unknown>>;
}

describe("/metrics and the audit log cover hooks, activities and assets", () => {
  let platform: PlatformUnderTest;
  let app: TestApp;
  let cookie: string;
  const workers: { stop(): Promise<void> }[] = [];

  before(async () => {
    platform = await startPlatform();
    const web_app = {
      api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" },
      assets: ["main.js"],
      ui: { mode: "ESM_COMPONENT", entry_asset_name: "main.js", exposed_module: "./App", route_base: `/${accountant}` },
    };
    const fields = { web_app, hooks: [{ hook_name: hook }], activities: [{ name: "sum", max_retries: 0 }] };
    app = await testApp({ name: accountant, ...fields }, { "main.js": "export const sum = 1;\n" });
    await platform.register(app);
    await platform.client().marketplace.installApp({ name: accountant });
    await untilRouted(platform.httpUrl, accountant);
    cookie = await platform.login("admin");
  });
  after(async () => {
    for (const worker of workers) await worker.stop();
    await platform.stop();
  });

  /** As a signed-in administrator, whom the audit log names. A call without credentials has no user. */
  const asAdmin = async (query: string): Promise<Record<string, { readonly eventId: string; readonly id: string }>> => {
    const response = await fetch(`${platform.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = (await response.json()) as Awaited<ReturnType<PlatformUnderTest["graphql"]>>;
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data as Record<string, { readonly eventId: string; readonly id: string }>;
  };
  const credentials = () => ({ name: accountant, privateKey: app.keys.privateKey });
  const entries = (target: string): Promise<readonly Entry[]> =>
    platform.onDatabase(async (sql) => {
      const text = "select actor, action, outcome, details from platform.audit_log where target = $1 order by id";
      return (await sql.query<Entry>(text, [target])).rows;
    });
  const metrics = async (): Promise<string> => (await send(platform.httpUrl, "/metrics")).text;
  /** Waits until the metrics have every line. Lines from other worker processes have an additional label. */
  const counted = (...lines: readonly RegExp[]): Promise<string> =>
    eventually(async () => {
      const text = await metrics();
      for (const line of lines) assert.match(text, line);
      return text;
    });

  test("a hook that a user triggers, its delivery, its stream", async () => {
    const subscriber = createHookSubscriber({ grpcUrl: platform.grpcUrl, app: credentials() });
    workers.push(subscriber);
    subscriber.onHook(hook, () => {}).start();
    const { triggerHook } = await asAdmin(`mutation { triggerHook(name: "${hook}", data: "${secret}") { eventId } }`);
    const text = await counted(
      /^appserver_hook_triggers_total\{app="com\.example\.accountant[^"]*"[^}]*\} 1$/m,
      /^appserver_hook_deliveries_total\{app="com\.example\.accountant[^"]*",transport="stream",outcome="delivered"[^}]*\} 1$/m,
      /^appserver_hook_delivery_duration_seconds_count\{transport="stream"[^}]*\} [1-9]/m,
      /^appserver_hook_open_streams\{app="com\.example\.accountant[^"]*"[^}]*\} 1$/m,
      /^appserver_hook_unfinished_deliveries\{status="waiting"[^}]*\} \d+$/m,
      /^appserver_hook_dead_letters(\{[^}]*\})? \d+$/m,
    );
    assert.ok(!text.includes(triggerHook?.eventId ?? "-"));
    const [entry, ...others] = await entries(`hook:${hook}`);
    assert.deepEqual(others, []);
    assert.deepEqual(entry, {
      actor: `user:${platform.userId("admin")}`,
      action: "hook.trigger",
      outcome: "success",
      details: { eventId: triggerHook?.eventId },
    });
  });

  test("a run that a user triggers, its worker, and one that is canceled", async () => {
    const trigger = `triggerActivity(appName: "${accountant}", activity: "sum", input: "${secret}") { id }`;
    const { triggerActivity: canceled } = await asAdmin(`mutation { ${trigger} }`);
    await asAdmin(`mutation { cancelActivityRun(id: "${canceled?.id}") { id } }`);
    const worker = createActivityWorker({ grpcUrl: platform.grpcUrl, app: credentials() });
    workers.push(worker);
    worker.activity("sum", {}, () => 7);
    worker.start();
    const { triggerActivity: run } = await asAdmin(`mutation { ${trigger} }`);
    const text = await counted(
      /^appserver_activity_runs_total\{app="com\.example\.accountant[^"]*",outcome="completed"[^}]*\} 1$/m,
      /^appserver_activity_runs_total\{app="com\.example\.accountant[^"]*",outcome="canceled"[^}]*\} 1$/m,
      /^appserver_activity_run_duration_seconds_count\{outcome="completed"[^}]*\} [1-9]/m,
      /^appserver_activity_connected_workers\{app="com\.example\.accountant[^"]*"[^}]*\} 1$/m,
      /^appserver_activity_unfinished_runs\{status="queued"[^}]*\} \d+$/m,
    );
    assert.ok(!text.includes(run?.id ?? "-"));
    const by = { actor: `user:${platform.userId("admin")}`, outcome: "success" };
    assert.deepEqual(
      (await entries(`app:${accountant}`)).filter(({ action }) => action.startsWith("activity.")),
      [
        { ...by, action: "activity.trigger", details: { activity: "sum", runId: canceled?.id } },
        { ...by, action: "activity.cancel", details: { activity: "sum", runId: canceled?.id } },
        { ...by, action: "activity.trigger", details: { activity: "sum", runId: run?.id } },
      ],
    );
  });

  test("an asset that was changed in the database is refused each time and audited once", async () => {
    const altered = await platform.onDatabase((sql) =>
      sql.query(
        `update marketplace.assets set contents = set_byte(contents, 3, get_byte(contents, 3) # 1)
         where name = 'main.js' and app_id = (select id from marketplace.apps where name = $1)`,
        [accountant],
      ),
    );
    assert.equal(altered.count, 1);
    for (let request = 0; request < 2; request += 1)
      assert.equal((await send(platform.httpUrl, `/apps/${accountant}/assets/main.js`)).status, 500);
    await counted(/^appserver_corrupt_assets_total\{app="com\.example\.accountant[^"]*"[^}]*\} 2$/m);
    const refusals = (await entries(`app:${accountant}`)).filter(({ action }) => action === "asset.refuse");
    assert.deepEqual(
      refusals.map(({ actor, outcome, details }) => [actor, outcome, details["asset"], details["version"]]),
      [["system", "failure", "main.js", "1.0.0"]],
    );
    assert.notEqual(refusals[0]?.details["actualSha256"], refusals[0]?.details["expectedSha256"]);
  });

  test("users with permission read the audit log over GraphQL", async () => {
    const query = `{ auditLog(target: "hook:${hook}") { totalCount edges { node { actor action outcome details } } } }`;
    const { auditLog } = (await asAdmin(query)) as unknown as {
      readonly auditLog: { readonly totalCount: number; readonly edges: readonly { readonly node: Entry }[] };
    };
    assert.deepEqual(
      auditLog.edges.map(({ node }) => node),
      await entries(`hook:${hook}`),
    );
    assert.equal(auditLog.totalCount, 1);
    const response = await fetch(`${platform.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: await platform.login("bob") },
      body: JSON.stringify({ query }),
    });
    const { errors } = (await response.json()) as Awaited<ReturnType<PlatformUnderTest["graphql"]>>;
    assert.equal(errors?.[0]?.extensions.code, "PERMISSION_DENIED");
  });

  test("neither contains the data", async () => {
    const all = await platform.onDatabase((sql) =>
      sql.query<{ text: string }>("select a::text as text from platform.audit_log a"),
    );
    assert.ok(all.rows.every(({ text }) => !text.includes(secret)));
    assert.ok(!(await metrics()).includes(secret));
  });

  productionTest("promtool finds no problem in the metrics of hooks, activities and assets", async (t) => {
    const findings = promtoolFindings(await metrics());
    if (typeof findings === "object") return t.skip(findings.unavailable);
    assert.equal(findings, "");
  });
});
