import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signRequest } from "@appserver/sdk";
import {
  type EchoUpstream,
  echoUpstream,
  errorOf,
  eventually,
  type HttpAnswer,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";

const lender = uniqueName("com.example.rest-lender");
const borrower = uniqueName("com.example.rest-borrower");
const scope = "loans:read";
const reason = "Reads the loans.";

interface Approvals {
  readonly operation?: { readonly kind: string };
  readonly needed: readonly Readonly<Record<string, string>>[];
  readonly granted: readonly Readonly<Record<string, string>>[];
}

describe("approvals over REST", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let app: TestApp;
  let id = "";
  let path = "";

  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
    const api = { base_path: "/", upstream_base_url: upstream.url };
    const routes = [{ pattern: "/loans", methods: ["GET"], scopes: [scope] }];
    await platform.register(await testApp({ name: lender, web_app: { api: { ...api, routes } } }));
    await platform.client().marketplace.installApp({ name: lender });
    await untilRouted(platform.httpUrl, lender, "/loans");
    app = await testApp({
      name: borrower,
      web_app: { api },
      required_permissions: [{ scope, resource_type: lender, reason }],
    });
    id = (await platform.register(app)).app?.id ?? "";
    path = `/api/v2/apps/${id}/approvals`;
  });
  after(async () => {
    await platform?.stop();
    await upstream?.stop();
  });

  const call = (method: string, target: string, body?: unknown, headers = platform.administrator) =>
    send(platform.httpUrl, target, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const seen = (answer: HttpAnswer): Approvals => {
    assert.equal(answer.status, 200, answer.text);
    return jsonOf(answer) as Approvals;
  };
  const refusal = (answer: HttpAnswer) => [answer.status, errorOf(answer).code];
  const borrow = async (): Promise<number> => {
    const url = `/api/apps/${lender}/loans`;
    const { privateKey } = app.keys;
    const headers = signRequest({ appName: borrower, privateKey, method: "GET", url, body: new Uint8Array() });
    return (await send(platform.httpUrl, url, { headers })).status;
  };
  const digestOf = async () => (await platform.client().marketplace.getApp({ name: borrower })).app?.manifestDigest ?? "";

  test("GET returns what the app needs, with the digest to approve; POST approves it; DELETE revokes it", async () => {
    const manifestDigest = await digestOf();
    const need = { scope, owner: lender, resourceType: lender, reason, version: "1.0.0", manifestDigest };
    const first = await call("GET", path);
    assert.deepEqual(jsonOf(first), { appId: id, appName: borrower, needed: [need], granted: [] });
    assert.equal(first.headers["cache-control"], "no-store");
    const { operation, ...approved } = seen(await call("POST", path, { scopes: [scope], manifestDigest }));
    assert.equal(operation?.kind, "approve");
    assert.deepEqual(approved.needed, []);
    const [grant] = approved.granted;
    assert.deepEqual([approved.granted.length, grant?.["scope"], grant?.["owner"]], [1, scope, lender]);
    assert.ok(Date.parse(grant?.["approvedAt"] ?? "") > 0);
    assert.deepEqual(seen(await call("GET", path)), approved);
    const revoked = seen(await call("DELETE", `${path}/${scope}`));
    assert.deepEqual([revoked.needed, revoked.granted, revoked.operation?.kind], [[need], [], "revoke"]);
  });

  test("a version that is registered and not installed shows what it adds, and only its digest approves that", async () => {
    const api = { base_path: "/", upstream_base_url: upstream.url };
    const permissions = [
      { scope, resource_type: lender, reason },
      { scope: "audit:view", resource_type: "platform", reason: "Shows who lent what." },
    ];
    const fields = { name: borrower, web_app: { api }, required_permissions: permissions };
    await call("POST", path, { scopes: [scope] });
    await platform.client().marketplace.installApp({ name: borrower });
    await platform.register(await testApp({ ...fields, version: "1.1.0" }, {}, app.keys));
    const { needed } = seen(await call("GET", path));
    assert.deepEqual(
      needed.map((each) => [each["scope"], each["owner"], each["version"]]),
      [["audit:view", null, "1.1.0"]],
    );
    const scopes = ["audit:view"];
    assert.deepEqual(refusal(await call("POST", path, { scopes, manifestDigest: await digestOf() })), [400, "INVALID_REQUEST"]);
    const digest = needed[0]?.["manifestDigest"];
    assert.deepEqual(seen(await call("POST", path, { scopes, manifestDigest: digest })).needed, []);
  });

  test("invalid requests are refused, and change nothing", async () => {
    const before = (await call("GET", path)).text;
    for (const [body, expected] of [
      [{ scopes: [scope], manifestDigest: "0".repeat(64) }, [409, "CONFLICT"]],
      [{ scopes: ["loans:burn"] }, [400, "INVALID_REQUEST"]],
      [{ scopes: [] }, [400, "INVALID_REQUEST"]],
      [{ scopes: scope }, [400, "INVALID_REQUEST"]],
      [{}, [400, "INVALID_REQUEST"]],
    ] as const) {
      assert.deepEqual(refusal(await call("POST", path, body)), expected, JSON.stringify(body));
    }
    const typo = await call("POST", path, { scopes: [scope], manifest_digest: "x" });
    assert.deepEqual([...refusal(typo), errorOf(typo).error], [400, "INVALID_REQUEST", "body.manifest_digest is unknown"]);
    assert.deepEqual(refusal(await call("DELETE", `${path}/loans:burn`)), [400, "INVALID_REQUEST"]);
    const wrong = await call("PUT", path, { scopes: [scope] });
    assert.deepEqual([...refusal(wrong), wrong.headers.allow], [405, "INVALID_REQUEST", "GET, HEAD, POST, OPTIONS"]);
    assert.equal((await call("GET", path)).text, before);
  });

  test("a caller without the permission does not learn whether the app exists", async () => {
    const bob = { cookie: await platform.login("bob") };
    const missing = path.replace(/[0-9a-f-]{36}/, "0192f0c0-0000-7000-8000-000000000001");
    for (const target of [path, missing, path.replace(id, "x")]) {
      assert.deepEqual(refusal(await call("GET", target, undefined, bob)), [403, "PERMISSION_DENIED"]);
      assert.deepEqual(refusal(await call("POST", target, { scopes: [scope] }, bob)), [403, "PERMISSION_DENIED"]);
      assert.deepEqual(refusal(await call("DELETE", `${target}/${scope}`, undefined, bob)), [403, "PERMISSION_DENIED"]);
    }
    for (const target of [missing, path.replace(id, "x")]) {
      assert.deepEqual(refusal(await call("GET", target)), [404, "NOT_FOUND"]);
      assert.deepEqual(refusal(await call("POST", target, { scopes: [scope] })), [404, "NOT_FOUND"]);
      assert.deepEqual(refusal(await call("DELETE", `${target}/${scope}`)), [404, "NOT_FOUND"]);
    }
  });

  test("a permission that is revoked over any transport is denied within a second", async () => {
    const { marketplace } = platform.client();
    const revocations: Readonly<Record<string, () => Promise<unknown>>> = {
      REST: async () => seen(await call("DELETE", `${path}/${scope}`)),
      gRPC: () => marketplace.revokePermissions({ name: borrower, scopes: [scope] }),
      GraphQL: async () => {
        const revoke = `mutation { revokePermissions(name: "${borrower}", scopes: ["${scope}"]) { success } }`;
        assert.equal((await platform.graphql(revoke)).errors, undefined);
      },
    };
    for (const [transport, revoke] of Object.entries(revocations)) {
      await eventually(borrow, (status) => status === 200, { what: "the permission is granted" });
      await revoke();
      const since = performance.now();
      await eventually(borrow, (status) => status === 403, { what: "the permission is denied" });
      assert.ok(performance.now() - since < 1_000, `${transport}: after ${performance.now() - since} ms`);
      assert.equal(seen(await call("GET", path)).needed[0]?.["scope"], scope);
      // An installation grants what was approved again.
      await marketplace.uninstallApp({ name: borrower });
      await call("POST", path, { scopes: [scope] });
      await marketplace.installApp({ name: borrower });
    }
  });

  test("the audit log names who approved and who revoked", async () => {
    const cookie = await platform.login("admin");
    seen(await call("DELETE", `${path}/${scope}`, undefined, { cookie }));
    seen(await call("POST", path, { scopes: [scope] }, { cookie }));
    const entries = await platform.onDatabase(async (sql) => {
      const text = "select actor, action, outcome from platform.audit_log where target = $1 order by id desc limit 2";
      return (await sql.query<object>(text, [`app:${borrower}`])).rows;
    });
    const by = { actor: `user:${platform.userId("admin")}`, outcome: "success" };
    assert.deepEqual(entries, [
      { ...by, action: "permission.approve" },
      { ...by, action: "permission.revoke" },
    ]);
    const granted = seen(await call("GET", path)).granted.find((each) => each["scope"] === scope);
    assert.equal(granted?.["approvedBy"], by.actor);
  });
});
