import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { SqlApprovalStore } from "../src/adapters/sql-approval-store.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

describe("the event about an approval", async () => {
  const home = await startMarketplace();
  const { context, database, register } = home;
  after(home.stop);

  test("permission.approved is stored with the approval, once, with the owners of the scopes and who approved them", async () => {
    const name = "com.example.announced";
    const requiredPermissions = [
      { scope: "audit:view", resourceType: "", reason: "", requiresApproval: false },
      { scope: "data:read", resourceType: "com.example.harmless", reason: "", requiresApproval: false },
    ];
    const { app } = await register(name, { requiredPermissions });
    const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
    const approveAll = { name, scopes: ["audit:view", "data:read"] };
    const events = async () => (await home.eventsOf(name)).filter(({ type }) => type === "permission.approved");
    const unable = { ...home.writers, audit: { record: () => Promise.reject(new Error("no room")) } };
    const failing = { ...context, approvals: new SqlApprovalStore(database, unable) };
    await assert.rejects(approvePermissions(failing, approveAll, callBy(admin)), /no room/);
    assert.deepEqual([await events(), await context.approvals.approvals(app.id)], [[], []]);

    await approvePermissions(context, { name, scopes: ["audit:view"] }, callBy(admin));
    await approvePermissions(context, approveAll, callBy(admin));
    await approvePermissions(context, approveAll, callBy(admin));
    const [first, second, ...more] = await events();
    assert.deepEqual(more, [], "a repetition approves nothing new");
    assert.deepEqual(first?.body["scopes"], [{ scope: "audit:view", owner: null }]);
    assert.deepEqual(second?.body["scopes"], [{ scope: "data:read", owner: "com.example.harmless" }]);
    assert.deepEqual([second?.actor, second?.body["actor"], second?.body["AppID"]], ["user:admin", "user:admin", app.id]);
    const [approval] = (await context.approvals.approvals(app.id)).filter(({ scope }) => scope === "data:read");
    assert.equal(second?.time, approval?.approvedAt.toISOString());
  });
});
