import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { callBy } from "@appserver/testing/kit";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { type AppNeed, certificateExpiry } from "../src/use-cases/apps-with-needs.ts";
import { listApps } from "../src/use-cases/read-apps.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system = callBy({ kind: "system", reason: "test" });
const dayMs = 86_400_000;

describe("apps that wait for an operator", async () => {
  const home = await startMarketplace();
  const { context, register } = home;
  after(home.stop);
  const listed = async (needs: readonly AppNeed[], given: Partial<typeof context> = {}, names?: readonly string[]) => {
    const page = await listApps({ ...context, ...given }, { filter: { needs, names } }, system);
    assert.equal(await page.totalCount(), page.items.length);
    return page.items.map(({ name }) => name);
  };

  test("for an approval, until it is given", async () => {
    const requiredPermissions = [{ scope: "notes:read", resourceType: "com.example.c", reason: "", requiresApproval: true }];
    await register("com.example.asks", { requiredPermissions });
    await register("com.example.asks2", { requiredPermissions });
    await register("com.example.c");
    assert.deepEqual(await listed(["APPROVAL"]), ["com.example.asks", "com.example.asks2"]);
    assert.deepEqual(await listed(["APPROVAL"], {}, ["com.example.asks2", "com.example.c"]), ["com.example.asks2"]);
    await approvePermissions(context, { name: "com.example.asks", scopes: ["notes:read"] }, system);
    assert.deepEqual(await listed(["APPROVAL"]), ["com.example.asks2"]);
    const before = home.statements();
    await listed(["APPROVAL"]);
    assert.ok(home.statements() - before <= 3, "approvals, page and total");
  });

  test("for a condition that a part of the platform reports", async () => {
    const { app } = await register("com.example.faulty");
    const participants = [{ name: "test", faultyAmong: async () => [app.id] }];
    assert.deepEqual(await listed(["CONDITION"], { participants }), ["com.example.faulty"]);
    assert.deepEqual(await listed(["CONDITION"], { participants: [{ name: "none" }] }), []);
    assert.deepEqual(await listed(["CONDITION", "APPROVAL"], { participants }), ["com.example.asks2", "com.example.faulty"]);
  });

  test("for a certificate that expires within 30 days", async () => {
    const live = home.apps.get("com.example.c") ?? assert.fail();
    const expiry = certificateExpiry(live)?.getTime() ?? assert.fail();
    const at = (now: number) => ({ clock: { ...context.clock, now: () => now } });
    assert.deepEqual(await listed(["CERTIFICATE"], at(expiry - 31 * dayMs), ["com.example.c"]), []);
    assert.deepEqual(await listed(["CERTIFICATE"], at(expiry - 29 * dayMs), ["com.example.c"]), ["com.example.c"]);
    assert.deepEqual(await listed(["CERTIFICATE"], at(expiry + 1), ["com.example.c"]), ["com.example.c"]);
  });
});
