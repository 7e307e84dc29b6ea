import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { approvePermissions, createPlatformClient, signRequest } from "@appserver/sdk";
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

const lender = uniqueName("com.example.lender");
const borrower = uniqueName("com.example.borrower");
const reason = "Reads the loans.";

interface Plan {
  readonly digest: string;
  readonly blockers: readonly { readonly code: string }[];
  readonly steps: readonly { readonly appName: string; readonly manifestDigest: string }[];
  readonly approvalsNeeded: readonly object[];
}

describe("permissions on other apps need an approval, and an installation matches the reviewed plan", () => {
  let platform: PlatformUnderTest;
  let upstream: EchoUpstream;
  let app: TestApp;

  before(async () => {
    upstream = await echoUpstream();
    platform = await startPlatform();
    const api = { base_path: "/", upstream_base_url: upstream.url };
    const routes = [{ pattern: "/loans", methods: ["GET"], scopes: ["loans:read"] }];
    await platform.register(await testApp({ name: lender, web_app: { api: { ...api, routes } } }));
    await platform.client().marketplace.installApp({ name: lender });
    await untilRouted(platform.httpUrl, lender, "/loans");
    // Without requires_approval: the borrower claims that no approval is needed.
    const required_permissions = [{ scope: "loans:read", resource_type: lender, reason }];
    app = await testApp({ name: borrower, web_app: { api }, required_permissions });
    await platform.register(app);
  });
  after(async () => {
    await platform?.stop();
    await upstream?.stop();
  });

  const data = <T>(query: string, variables: object = {}): Promise<T> => dataOf<T>(platform, query, variables);
  const plan = async (): Promise<Plan> => {
    const fields =
      "digest blockers { code } steps { appName manifestDigest } approvalsNeeded { scope resourceType reason requiresApproval }";
    const { installPlan } = await data<{ installPlan: Plan }>(`{ installPlan(name: "${borrower}") { ${fields} } }`);
    return installPlan;
  };
  const codeOf = async (mutation: string, variables: object) => {
    const result = await platform.graphql(mutation, variables);
    return result.errors?.[0]?.extensions.code;
  };
  const install = `mutation ($digest: String) { installApp(name: "${borrower}", planDigest: $digest) { app { state } } }`;
  const approve = `mutation ($scopes: [String!]!, $digest: String) {
    approvePermissions(name: "${borrower}", scopes: $scopes, manifestDigest: $digest) { success } }`;
  const borrow = async (): Promise<number> => {
    const url = `/api/apps/${lender}/loans`;
    const { privateKey } = app.keys;
    const headers = signRequest({ appName: borrower, privateKey, method: "GET", url, body: new Uint8Array() });
    return (await send(platform.httpUrl, url, { headers })).status;
  };

  test("a scope on another app needs an approval, whatever the manifest says; then the reviewed plan is installed", async () => {
    const first = await plan();
    assert.deepEqual(first.blockers, [{ code: "APPROVAL_REQUIRED" }]);
    const needed = { scope: "loans:read", resourceType: lender, reason, requiresApproval: true };
    assert.deepEqual(first.approvalsNeeded, [needed]);
    assert.equal(await codeOf(install, {}), "APPROVAL_REQUIRED");
    const { manifestDigest = "" } = (await platform.client().marketplace.getApp({ name: borrower })).app ?? {};
    assert.equal(await codeOf(approve, { scopes: ["loans:read"], digest: "0".repeat(64) }), "CONFLICT");
    await data(approve, { scopes: ["loans:read"], digest: manifestDigest });
    const seen = await plan();
    assert.deepEqual([seen.approvalsNeeded, seen.steps], [[], [{ appName: borrower, manifestDigest }]]);
    assert.equal(await codeOf(install, { digest: first.digest }), "CONFLICT");
    await data(install, { digest: seen.digest });
    await eventually(borrow, (status) => status === 200);
  });

  test("gRPC can approve and returns the digest of the plan", async () => {
    const { marketplace } = platform.client();
    await marketplace.uninstallApp({ name: borrower });
    await eventually(borrow, (status) => status !== 200);
    const client = platform.client();
    assert.deepEqual(await approvePermissions(client, borrower), [], "the approval of the same entry remains valid");
    const { digest, steps } = await marketplace.planInstall({ name: borrower });
    assert.equal(steps[0]?.manifestDigest.length, 64);
    await marketplace.installApp({ name: borrower, planDigest: digest });
    await eventually(borrow, (status) => status === 200);
  });

  test("a stream of another app's hooks needs hook:subscribe on it", async () => {
    const { hooks } = createPlatformClient({
      grpcUrl: platform.grpcUrl,
      app: { name: borrower, privateKey: app.keys.privateKey },
    });
    const start = { message: { case: "start" as const, value: { hookNames: [`${lender}.lent`] } } };
    const over = new AbortController();
    // A stream whose requests never end would keep this process alive on a shared platform.
    const requests = async function* () {
      yield start;
      await new Promise((resolve) => over.signal.addEventListener("abort", resolve, { once: true }));
    };
    const read = async (): Promise<void> => {
      for await (const _ of hooks.subscribe(requests(), { signal: over.signal }));
    };
    await assert.rejects(read(), /hook:subscribe on com\.example\.lender/);
    over.abort();
  });

  test("the audit log has an entry for each step", async () => {
    const query = `{ auditLog(target: "app:${borrower}", first: 50) { edges { node { action outcome } } } }`;
    const { auditLog } = await data<{ auditLog: { edges: { node: { action: string; outcome: string } }[] } }>(query);
    const entries = auditLog.edges.map(({ node }) => `${node.action} ${node.outcome}`).reverse();
    assert.deepEqual(entries, [
      "app.register success",
      "permission.approve success",
      "app.install success",
      "app.uninstall success",
      "app.install success",
    ]);
  });
});
