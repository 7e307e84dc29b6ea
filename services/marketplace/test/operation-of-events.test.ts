import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { approvePermissions } from "../src/use-cases/approve-permissions.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };

describe("the operation of events", async () => {
  const home = await startMarketplace();
  const { context } = home;
  after(home.stop);

  /** The events of an app, each with the operation that it is a step of. */
  const steps = async (name: string) =>
    (await home.eventsOf(name)).map(({ type, correlationId, body }) => ({
      step: type === "app.state_changed" ? String(body["to"]) : type,
      operation: correlationId,
    }));
  const stepsOf = async (name: string, operation: string) =>
    (await steps(name)).filter((each) => each.operation === operation).map(({ step }) => step);

  test("is that of the command, from its beginning to the state that ends it", async () => {
    const name = "com.example.stepped";
    const requiredPermissions = [{ scope: "audit:view", resourceType: "", reason: "", requiresApproval: true }];
    const registered = await home.register(name, { requiredPermissions });
    const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
    const approved = await approvePermissions(context, { name, scopes: ["audit:view"] }, callBy(admin));
    const installed = await installApp(context, { name }, callBy(system));
    home.deploy(registered.app.id, 1, "HEALTHY");
    await applyDeployment(context, name);
    assert.ok((await stepsOf(name, registered.operation.id)).includes("app.registered"));
    assert.deepEqual(await stepsOf(name, approved.operation.id), ["permission.approved"]);
    assert.deepEqual(await stepsOf(name, installed.operation.id), ["INSTALLING", "INSTALLED", "app.installed", "RUNNING"]);

    await home.register(name, { requiredPermissions, version: "2.0.0" }, Promise.resolve(registered.identity));
    const upgraded = await upgradeApp(context, { name }, callBy(system));
    home.deploy(registered.app.id, 2, "HEALTHY");
    await applyDeployment(context, name);
    assert.deepEqual(await stepsOf(name, upgraded.operation.id), ["app.upgrade_started", "app.upgraded"]);
  });

  test("is none for what happens by itself", async () => {
    const name = "com.example.unstepped";
    const { app } = await home.register(name);
    await installApp(context, { name }, callBy(system));
    home.deploy(app.id, 1, "HEALTHY");
    await applyDeployment(context, name);
    home.deploy(app.id, 1, "UNHEALTHY");
    await applyDeployment(context, name);
    assert.deepEqual((await steps(name)).at(-1), { step: "UNHEALTHY", operation: undefined });
  });
});
