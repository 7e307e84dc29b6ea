import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
} from "@appserver/testing/kit";
import { purgeApp } from "./commands.ts";

const name = uniqueName("com.example.rest-app");
const paged = uniqueName("com.example.paged");
const needy = uniqueName("com.example.needy");
const growing = uniqueName("com.example.growing");

interface Operation {
  readonly id: string;
  readonly kind: string;
  readonly done: boolean;
  readonly error: object | null;
}
interface Page<Item = Readonly<Record<string, unknown>>> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  readonly totalCount: number;
}

describe("REST v2", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let app: TestApp;
  let id = "";
  const settings = { definitions: [{ key: "title", data_type: "STRING", default_value: '"none"' }] };
  const web_app = () => ({ api: { base_path: "/", upstream_base_url: upstream.url } });
  const manifest = (version: string) => ({ name, version, settings, web_app: web_app() });

  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
    app = await testApp(manifest("1.0.0"));
    id = (await platform.register(app)).app?.id ?? "";
    for (const other of ["a", "b", "c"])
      await platform.register(await testApp({ name: `${paged}-${other}`, web_app: web_app() }));
  });
  after(async () => {
    // Production tests share one platform, and a second run registers the apps with other keys.
    for (const registered of [name, needy, growing, ...["a", "b", "c"].map((other) => `${paged}-${other}`)]) {
      await purgeApp(platform, registered);
      if (platform) await call("DELETE", `/apps/${registered}`);
    }
    await platform?.stop();
    await upstream?.stop();
  });

  const call = (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
    send(platform.httpUrl, `/api/v2${path}`, {
      method,
      headers: {
        ...platform.administrator,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const read = async <T>(path: string): Promise<T> => {
    const answer = await call("GET", path);
    assert.equal(answer.status, 200, answer.text);
    return jsonOf(answer) as T;
  };
  const ended = async (method: string, path: string, body?: unknown): Promise<Operation> => {
    const answer = await call(method, `${path}?wait=true`, body);
    assert.equal(answer.status, 200, answer.text);
    const operation = jsonOf(answer) as Operation;
    assert.deepEqual([operation.done, operation.error], [true, null]);
    return operation;
  };
  const refusal = (answer: HttpAnswer) => [answer.status, errorOf(answer).code];

  test("an app is planned, installed, configured, upgraded, rolled back and uninstalled over REST alone", async () => {
    const plan = await read<{ readonly digest: string; readonly steps: readonly object[] }>(`/apps/${id}/install-plan`);
    assert.equal(plan.steps.length, 1);
    assert.equal((await ended("POST", `/apps/${id}/install`, { planDigest: plan.digest })).kind, "install");
    assert.partialDeepStrictEqual(await read(`/apps/${name}`), { id, name, version: "1.0.0", ui: null });

    const stored = await call("GET", `/apps/${id}/settings`);
    const written = await call(
      "PUT",
      `/apps/${id}/settings`,
      { values: { title: "mine" } },
      { "if-match": `${stored.headers.etag}` },
    );
    assert.equal(written.status, 200, written.text);
    assert.partialDeepStrictEqual(await read(`/apps/${id}/settings/title`), { key: "title", value: "mine", source: "STORED" });
    const stale = await call("DELETE", `/apps/${id}/settings`, undefined, { "if-match": `${stored.headers.etag}` });
    assert.deepEqual(refusal(stale), [412, "CONFLICT"]);
    assert.equal((await call("DELETE", `/apps/${id}/settings`)).status, 200);
    assert.partialDeepStrictEqual(await read(`/apps/${id}/settings/title`), { value: "none", source: "DEFAULT" });

    await platform.register(await testApp(manifest("2.0.0"), {}, app.keys));
    const upgrade = await read<{ readonly digest: string }>(`/apps/${name}/upgrade-plan`);
    const operation = await ended("POST", `/apps/${name}/upgrade`, { planDigest: upgrade.digest });
    assert.deepEqual(await read(`/operations/${operation.id}`), operation);
    assert.partialDeepStrictEqual(await read(`/apps/${id}`), { version: "2.0.0" });
    await ended("POST", `/apps/${id}/rollback`);
    assert.partialDeepStrictEqual(await read(`/apps/${id}`), { version: "1.0.0" });

    const disabled = await call("PUT", `/apps/${id}/enabled`, { enabled: false });
    assert.partialDeepStrictEqual(jsonOf(disabled), { name, enabled: false, operation: { kind: "disable", done: true } });
    await ended("DELETE", `/apps/${id}/uninstall`);
    const deleted = jsonOf(await call("DELETE", `/apps/${name}`)) as { readonly operation: Operation };
    assert.partialDeepStrictEqual(deleted, { id, operation: { kind: "delete", done: true } });
    assert.deepEqual(await read(`/operations/${deleted.operation.id}`), deleted.operation);
    assert.deepEqual(refusal(await call("GET", `/apps/${name}`)), [404, "NOT_FOUND"]);
    const audit = await read<Page>("/audit-log?first=3");
    assert.deepEqual(
      audit.items.map(({ action }) => action),
      ["app.delete", "app.uninstall", "app.disable"],
    );
  });

  test("a command without wait responds at once with its operation", async () => {
    const begun = await call("POST", `/apps/${paged}-a/install`);
    assert.equal(begun.status, 202, begun.text);
    assert.equal((jsonOf(begun) as Operation).kind, "install");
  });

  test("Link leads through all pages, and a known representation is not sent again", async () => {
    const names: unknown[] = [];
    let path: string | undefined = `/api/v2/apps?first=1&search=${paged}-`;
    while (path !== undefined) {
      const answer = await send(platform.httpUrl, path, { headers: platform.administrator });
      const page = jsonOf(answer) as Page;
      assert.equal(page.totalCount, 3);
      names.push(...page.items.map((each) => each["name"]));
      const again = await send(platform.httpUrl, path, {
        headers: { ...platform.administrator, "if-none-match": `"other", ${answer.headers.etag}` },
      });
      assert.deepEqual([again.status, again.text], [304, ""]);
      path = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers["link"] ?? ""))?.[1];
      assert.equal(path === undefined, page.nextCursor === null);
    }
    assert.deepEqual(names, [`${paged}-a`, `${paged}-b`, `${paged}-c`]);
  });

  test("approvals are read with the digest to approve, given and revoked", async () => {
    const scope = "audit:view";
    const reason = "Shows who did what.";
    const required_permissions = [{ scope, resource_type: "platform", reason }];
    const registered = await platform.register(await testApp({ name: needy, web_app: web_app(), required_permissions }));
    const path = `/apps/${registered.app?.id}/approvals`;
    const manifestDigest = registered.app?.manifestDigest;
    const need = { scope, owner: null, resourceType: "platform", reason, version: "1.0.0", manifestDigest };
    const about = { appId: registered.app?.id, appName: needy };
    assert.deepEqual(await read(path), { ...about, needed: [need], granted: [] });
    assert.deepEqual(refusal(await call("POST", path, { scopes: [scope], manifestDigest: "0".repeat(64) })), [409, "CONFLICT"]);
    const { operation, ...approved } = jsonOf(await call("POST", path, { scopes: [scope], manifestDigest })) as {
      readonly operation: Operation;
    };
    assert.partialDeepStrictEqual(operation, { kind: "approve", done: true });
    assert.partialDeepStrictEqual(approved, { ...about, needed: [], granted: [{ scope }] });
    assert.deepEqual(await read(path), approved);
    const revoked = jsonOf(await call("DELETE", `${path}/${scope}`));
    assert.partialDeepStrictEqual(revoked, { ...about, needed: [need], granted: [], operation: { kind: "revoke" } });
    for (const scopes of [["loans:burn"], []])
      assert.deepEqual(refusal(await call("POST", path, { scopes })), [400, "INVALID_REQUEST"], JSON.stringify(scopes));
  });

  test("a version that is registered and not installed shows what it adds, and only its digest approves that", async () => {
    const first = await testApp({ name: growing, web_app: web_app() });
    const { id: appId, manifestDigest: installed } = (await platform.register(first)).app ?? {};
    await ended("POST", `/apps/${growing}/install`);
    const required_permissions = [{ scope: "audit:view", resource_type: "platform", reason: "Shows who did what." }];
    await platform.register(
      await testApp({ name: growing, version: "1.1.0", web_app: web_app(), required_permissions }, {}, first.keys),
    );
    const path = `/apps/${appId}/approvals`;
    const [added, ...others] = (await read<{ readonly needed: readonly Readonly<Record<string, string>>[] }>(path)).needed;
    assert.deepEqual([added?.["scope"], added?.["version"], others], ["audit:view", "1.1.0", []]);
    const approve = (manifestDigest: string | undefined) => call("POST", path, { scopes: ["audit:view"], manifestDigest });
    assert.deepEqual(refusal(await approve(installed)), [400, "INVALID_REQUEST"]);
    assert.partialDeepStrictEqual(jsonOf(await approve(added?.["manifestDigest"])), { needed: [] });
  });

  test("a request that is repeated with its key does its work once", async () => {
    const headers = { "idempotency-key": "first-key" };
    const body = { data: { number: 1 } };
    const trigger = (data: unknown = body, key = headers) => call("POST", "/hooks/app.rest_tested/trigger", data, key);
    const [first, second] = [await trigger(), await trigger()];
    assert.equal(first.status, 200, first.text);
    assert.equal(second.text, first.text);
    assert.deepEqual(
      [first, second].map((each) => each.headers["idempotency-replayed"]),
      [undefined, "true"],
    );
    assert.notEqual((await trigger(body, { "idempotency-key": "second-key" })).text, first.text);
    assert.deepEqual(refusal(await trigger({ data: 2 })), [422, "INVALID_REQUEST"]);
    assert.deepEqual(refusal(await trigger(body, { "idempotency-key": "a b" })), [400, "INVALID_REQUEST"]);
    // A refused request has done nothing, so its key is free.
    const refused = () => call("POST", "/apps/com.example.none/install", {}, { "idempotency-key": "third-key" });
    assert.deepEqual(
      [refusal(await refused()), refusal(await refused())],
      [
        [404, "NOT_FOUND"],
        [404, "NOT_FOUND"],
      ],
    );
  });

  test("each fault of a request has its own error, and nothing happens", async () => {
    for (const [method, path, body, field] of [
      ["GET", "/apps?first=x", undefined, "query.first"],
      ["PUT", `/apps/${name}/enabled`, { enabled: true, other: 1 }, "body.other"],
    ] as const) {
      const answer = await call(method, path, body);
      const { violations } = errorOf(answer).details as { readonly violations: readonly { readonly field: string }[] };
      assert.deepEqual([answer.status, violations.map((each) => each.field)], [400, [field]], answer.text);
    }
    assert.deepEqual(refusal(await call("GET", `/apps/${name}/logs?since=yesterday`)), [400, "INVALID_REQUEST"]);
    assert.deepEqual(refusal(await call("POST", `/apps/${paged}-b/upgrade`, {})), [409, "INVALID_STATE"]);
    assert.deepEqual(refusal(await call("GET", "/operations/none")), [404, "NOT_FOUND"]);
  });

  test("the OpenAPI document describes every route, and every described route is there", async () => {
    interface Described {
      readonly operationId: string;
      readonly parameters?: readonly { readonly name: string; readonly in: string }[];
      readonly responses: Readonly<Record<string, object>>;
    }
    const { paths } = await read<{ readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> }>(
      "/openapi.json",
    );
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    assert.equal(new Set(ids).size, ids.length);
    for (const [path, methods] of Object.entries(paths)) {
      const target = path.replace("/api/v2", "").replace(/\{\w+\}/g, "none");
      const options = await call("OPTIONS", target);
      const allowed = String(options.headers.allow)
        .split(", ")
        .filter((each) => each !== "OPTIONS" && each !== "HEAD");
      assert.deepEqual(
        allowed.sort(),
        Object.keys(methods)
          .map((each) => each.toUpperCase())
          .sort(),
        path,
      );
      for (const [method, described] of Object.entries(methods)) {
        if (method === "delete" && path === "/api/v2/apps/{id}") continue;
        const body = method === "post" || method === "put" ? {} : undefined;
        const { status } = await call(method.toUpperCase(), target, body);
        assert.ok(described.responses[status], `${method} ${path} returned ${status}, which is not described`);
        assert.ok(status < 500, `${method} ${path}: ${status}`);
      }
    }
  });
});
