import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { scopeObject } from "@appserver/contracts/authorization";
import {
  type EchoUpstream,
  echoUpstream,
  errorOf,
  type HttpAnswer,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  until,
} from "@appserver/testing/kit";
import { purgeApp } from "./commands.ts";

const name = uniqueName("com.example.keyed");
const hook = `app.${uniqueName("keyed")}`;
const page = { "page.js": "export {};\n" };
type Json = Readonly<Record<string, unknown>>;

describe("requests with an Idempotency-Key", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let app: TestApp;
  let id = "";
  const manifest = (version: string) => ({
    name,
    version,
    web_app: {
      api: { base_path: "/", upstream_base_url: upstream.url },
      assets: ["page.js"],
      ui: {
        mode: "WEB_COMPONENT",
        entry_asset_name: "page.js",
        route_base: `/${name}`,
        navigation: [{ title: "Keyed", href: `/${name}`, required_permissions: ["keyed:read"] }],
      },
    },
    settings: {
      definitions: [
        { key: "title", data_type: "STRING" },
        { key: "token", data_type: "STRING", sensitive: true },
      ],
    },
    required_permissions: [{ scope: "audit:view", resource_type: "platform", reason: "Shows who did what." }],
    activities: [{ name: "work", schedule: { cron: "0 0 1 1 *" } }],
  });
  before(async () => {
    [upstream, platform] = await Promise.all([echoUpstream(), startPlatform()]);
    app = await testApp(manifest("1.0.0"), page);
    id = (await platform.register(app)).app?.id ?? "";
  });
  after(async () => {
    await purgeApp(platform, name);
    await platform?.stop();
    await upstream?.stop();
  });

  const call = (method: string, path: string, body?: unknown, headers: Json = platform.administrator) =>
    send(platform.httpUrl, `/api/v2${path}`, {
      method,
      headers: {
        ...(headers as Record<string, string>),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const keyed = (key: string, ...[method, path, body, headers = platform.administrator]: Parameters<typeof call>) =>
    call(method, path, body, { ...headers, "idempotency-key": `${name} ${key}`.replaceAll(" ", "_") });
  const read = async (path: string): Promise<Json> => {
    const answer = await call("GET", path);
    assert.equal(answer.status, 200, answer.text);
    return jsonOf(answer) as Json;
  };
  const items = async (path: string) => (await read(path))["items"] as readonly Json[];
  /** The names that differ between what a command returned and what is so now are left out. */
  const identityOf = ({ text }: HttpAnswer): Json => {
    const { id, eventId, version, operation, user, recovered } = JSON.parse(text) as Json;
    return { id, eventId, version, user, recovered, operation: (operation as Json | undefined)?.["id"] };
  };
  const audited = async (): Promise<number> => Number((await read("/audit-log?first=1"))["totalCount"]);

  /** Sends the request twice, and checks that the second one does nothing and returns the same thing. */
  const twice = async (key: string, ...request: Parameters<typeof call>): Promise<Json> => {
    const before = await audited();
    const first = await keyed(key, ...request);
    assert.ok(first.status < 300, `${key}: ${first.status} ${first.text}`);
    const between = await audited();
    const second = await keyed(key, ...request);
    assert.deepEqual([second.status < 300, second.headers["idempotency-replayed"]], [true, "true"], `${key}: ${second.text}`);
    assert.deepEqual(identityOf(second), identityOf(first), key);
    assert.deepEqual([between - before <= 2, await audited()], [true, between], key);
    return jsonOf(first) as Json;
  };

  test("do their work once, on every route that changes something", async () => {
    await twice("approve", "POST", `/apps/${id}/approvals`, { scopes: ["audit:view"] });
    await twice("install", "POST", `/apps/${name}/install?wait=true`, {});
    await twice("settings", "PUT", `/apps/${id}/settings`, { values: { title: "one", token: "secret" } });
    await call("PUT", `/apps/${id}/settings`, { values: { title: "two" } });
    assert.equal(
      (
        (await twice("settings", "PUT", `/apps/${id}/settings`, { values: { title: "one", token: "secret" } }))[
          "values"
        ] as Json
      )["title"],
      "two",
    );
    await twice("reset", "DELETE", `/apps/${id}/settings`);
    await twice("check", "POST", `/apps/${id}/settings/validate`, { values: { title: 1 } });
    await twice("disable", "PUT", `/apps/${name}/enabled`, { enabled: false });
    await twice("enable", "PUT", `/apps/${name}/enabled`, { enabled: true });
    await twice("key", "PUT", `/apps/${name}/key`, { certificate: app.keys.certificate });
    await platform.register(await testApp(manifest("1.1.0"), page, app.keys));
    await twice("upgrade", "POST", `/apps/${name}/upgrade?wait=true`, {});
    await twice("rollback", "POST", `/apps/${name}/rollback?wait=true`, {});
    await twice("revoke", "DELETE", `/apps/${id}/approvals/audit:view`);

    const { eventId } = await twice("hook", "POST", `/hooks/${hook}/trigger`, { data: { number: 1 } });
    assert.deepEqual(
      (await items(`/hook-events?hookName=${hook}`)).map((each) => each["id"]),
      [eventId],
    );
    const where = { name: uniqueName("keyed"), kind: "WEBHOOK", url: "http://receiver.invalid/", types: ["APP_DELETED"] };
    const created = await twice("target", "POST", "/notification-targets", where);
    const target = `/notification-targets/${(created["target"] as Json)["id"]}`;
    await twice("target off", "PUT", target, { isEnabled: false });
    await twice("target test", "POST", `${target}/test`);
    await twice("target end", "DELETE", target);
    await twice("recover", "POST", `/hooks/${hook}/recover`, { since: "2026-01-01T00:00:00Z" });

    const run = await twice("run", "POST", `/apps/${name}/activities/work/runs`, { input: 1 });
    await twice("cancel", "POST", `/activity-runs/${run["id"]}/cancel`);
    const again = await twice("retry", "POST", `/activity-runs/${run["id"]}/retry`);
    const [schedule] = await items(`/activity-schedules?appName=${name}`);
    const now = await twice("now", "POST", `/activity-schedules/${schedule?.["id"]}/run`);
    const runs = (await items(`/activity-runs?appName=${name}`)).map((each) => each["id"]);
    assert.deepEqual(runs.sort(), [run["id"], again["id"], now["id"]].sort());
    await twice("pause", "PUT", `/activity-schedules/${schedule?.["id"]}/enabled`, { enabled: false });

    const tuple = { user: `user:${name}`, relation: "holder", object: scopeObject("app:view") };
    await twice("grant", "POST", "/access/grant", tuple);
    await twice("take", "POST", "/access/revoke", tuple);
    const bob = { authorization: `Bearer ${await platform.sessionToken("bob")}` };
    const asked = await twice("ask", "POST", "/access/requests", { appName: name, access: "viewer" }, bob);
    await twice("decline", "PUT", `/access/requests/${asked["id"]}/decision`, { decision: "DECLINE" });
    await twice("messages", "PUT", "/viewer/messages/read", {}, bob);
    await twice("uninstall", "DELETE", `/apps/${name}/uninstall?wait=true&purgeData=true`);
    await twice("delete", "DELETE", `/apps/${name}`);
  });

  test("have keys of their own content, and of their own caller", async () => {
    const trigger = (data: unknown) => keyed("content", "POST", `/hooks/${hook}/trigger`, { data });
    assert.equal((await trigger(1)).status, 200);
    const refused = await trigger(2);
    assert.deepEqual([refused.status, errorOf(refused).code], [422, "INVALID_REQUEST"]);
    const other = { authorization: `Bearer ${await platform.sessionToken("bob")}` };
    const forbidden = await keyed("content", "POST", `/hooks/${hook}/trigger`, { data: 1 }, other);
    assert.deepEqual([forbidden.status, forbidden.headers["idempotency-replayed"]], [403, undefined]);
  });

  test("are refused when the caller has lost the permission, also if their work is done", async () => {
    const bob = { authorization: `Bearer ${await platform.sessionToken("bob")}` };
    const tuple = { user: `user:${platform.userId("bob")}`, relation: "holder", object: scopeObject("hook:trigger") };
    const trigger = () => keyed("lost", "POST", `/hooks/${hook}/trigger`, { data: "lost" }, bob);
    assert.equal((await call("POST", "/access/grant", tuple)).status, 200);
    try {
      // The decision before the grant is cached for a second.
      await until("bob may trigger", async () => (await trigger()).status === 200);
      assert.equal((await trigger()).headers["idempotency-replayed"], "true");
    } finally {
      assert.equal((await call("POST", "/access/revoke", tuple)).status, 200);
    }
    await until("bob may not trigger", async () => (await trigger()).status !== 200);
    const answer = await trigger();
    assert.deepEqual([answer.status, errorOf(answer).code], [403, "PERMISSION_DENIED"]);
  });

  test("leave no secret in the table of keys", async () => {
    const { rows } = await platform.onDatabase((sql) =>
      sql.query<{ readonly text: string }>("select to_jsonb(k)::text as text from platform.idempotency_keys k"),
    );
    assert.ok(rows.length > 0 && rows.every(({ text }) => !text.includes("secret")));
  });
});
