import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { signRequest } from "@appserver/sdk";
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
  untilRouted,
} from "@appserver/testing/kit";
import { dataOf } from "./commands.ts";

const lender = uniqueName("com.example.bookshop");
const borrower = uniqueName("com.example.patron");

describe("changes of a registered app by administrators", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let app: TestApp;

  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
    const api = { base_path: "/", upstream_base_url: upstream.url };
    const routes = [{ pattern: "/loans", methods: ["GET"], scopes: ["loans:read"] }];
    await platform.register(await testApp({ name: lender, web_app: { api: { ...api, routes } } }));
    const required_permissions = [{ scope: "loans:read", resource_type: lender, reason: "Reads the loans." }];
    app = await testApp({ name: borrower, web_app: { api }, required_permissions });
    await platform.register(app);
    await data(`mutation { approvePermissions(name: "${borrower}", scopes: ["loans:read"]) { success } }`);
    for (const name of [lender, borrower]) await data(`mutation { installApp(name: "${name}") { success } }`);
    await untilRouted(platform.httpUrl, lender, "/loans");
  });
  after(async () => {
    await platform.stop();
    await upstream.stop();
  });

  const data = <T>(query: string, variables: object = {}): Promise<T> => dataOf<T>(platform, query, variables);
  const codeOf = async (mutation: string, variables: object = {}) =>
    (await platform.graphql(mutation, variables)).errors?.[0]?.extensions.code;
  const borrow = async ({ privateKey } = app.keys): Promise<number> => {
    const url = `/api/apps/${lender}/loans`;
    const headers = signRequest({ appName: borrower, privateKey, method: "GET", url, body: new Uint8Array() });
    return (await send(platform.httpUrl, url, { headers })).status;
  };
  const within = async (ms: number, act: () => Promise<unknown>, status: number): Promise<void> => {
    await act();
    const since = performance.now();
    await eventually(borrow, (seen) => seen === status);
    assert.ok(performance.now() - since < ms, `${status} came after ${performance.now() - since} ms`);
  };

  test("an app calls another one until its permission is revoked: 403 within a second, and it keeps running", async () => {
    assert.equal(await eventually(borrow, (status) => status === 200), 200);
    const revoke = `mutation { revokePermissions(name: "${borrower}", scopes: ["loans:read"]) { success operation { kind } app { state } } }`;
    await within(
      1_000,
      async () => {
        const { revokePermissions } = await data<{ revokePermissions: { operation: object; app: { state: string } } }>(revoke);
        assert.deepEqual(revokePermissions.operation, { kind: "revoke" });
        assert.equal(revokePermissions.app.state, "RUNNING");
      },
      403,
    );
    const approvals = `{ app(name: "${borrower}") { requiredPermissions { scope approved } } }`;
    assert.deepEqual(await data(approvals), {
      app: { requiredPermissions: [{ scope: "loans:read", approved: false }] },
    });
    await data(`mutation { uninstallApp(name: "${borrower}") { success } }`);
    assert.equal(await codeOf(`mutation { installApp(name: "${borrower}") { success } }`), "APPROVAL_REQUIRED");
    await data(`mutation { approvePermissions(name: "${borrower}", scopes: ["loans:read"]) { success } }`);
    await platform.client().marketplace.installApp({ name: borrower });
    await eventually(borrow, (status) => status === 200);
    await within(1_000, () => data(revoke), 403);
  });

  test("requests signed with a replaced key are refused at once", async () => {
    const next = await testApp({ name: borrower });
    const replace = "mutation ($name: String!, $pem: String!) { replaceKey(name: $name, certificate: $pem) { success } }";
    assert.equal(await borrow(), 403);
    await data(replace, { name: borrower, pem: next.keys.certificate });
    assert.equal(await borrow(), 401);
    assert.equal(await borrow(next.keys), 403);
    assert.equal(await codeOf(replace, { name: lender, pem: next.keys.certificate }), "CONFLICT");
    assert.equal(await codeOf(replace, { name: lender, pem: "x" }), "VALIDATION_ERROR");
  });

  test("an app without a container is disabled and enabled, and does not restart", async () => {
    const change = (enabled: boolean) =>
      data(`mutation { setAppEnabled(name: "${lender}", enabled: ${enabled}) { success app { enabled state health } } }`);
    const shown = (enabled: boolean, health: string) => ({
      setAppEnabled: { success: true, app: { enabled, state: "RUNNING", health } },
    });
    assert.deepEqual(await change(false), shown(false, "UNKNOWN"));
    assert.deepEqual(await change(true), shown(true, "HEALTHY"));
    assert.equal(await codeOf(`mutation { restartApp(name: "${lender}") { success } }`), "INVALID_STATE");
  });

  test("a deleted app does not exist any more, and another key can register its name", async () => {
    const remove = `mutation { deleteApp(name: "${borrower}") { success id app { name } operation { kind done } } }`;
    assert.equal(await codeOf(remove), "INVALID_STATE");
    const { app: { id } = {}, operation } = await platform.client().marketplace.uninstallApp({ name: borrower });
    assert.deepEqual([operation?.kind, operation?.appName, operation?.done], ["uninstall", borrower, true]);
    assert.deepEqual(await data(remove), {
      deleteApp: { success: true, id, app: null, operation: { kind: "delete", done: true } },
    });
    assert.deepEqual(await data(`{ app(name: "${borrower}") { name } }`), { app: null });
    assert.equal(await codeOf(remove), "NOT_FOUND");
    const api = { base_path: "/", upstream_base_url: upstream.url };
    await platform.register(await testApp({ name: borrower, web_app: { api } }));
    const { app: found } = await platform.client().marketplace.getApp({ name: borrower });
    assert.notEqual(found?.id, id);
  });

  test("mutations on a missing app are NOT_FOUND", async () => {
    for (const call of ["setAppEnabled(name: $n, enabled: true)", "restartApp(name: $n)", "deleteApp(name: $n)"])
      assert.equal(
        await codeOf(`mutation ($n: String!) { ${call} { success } }`, { n: "com.example.none" }),
        "NOT_FOUND",
        call,
      );
  });
});
