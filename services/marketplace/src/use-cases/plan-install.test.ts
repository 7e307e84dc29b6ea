import assert from "node:assert/strict";
import { test } from "node:test";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create } from "@bufbuild/protobuf";
import type { AppRecord } from "../domain/app.ts";
import { type LiveApp, liveApp } from "../domain/live-app.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import type { Approval } from "../ports.ts";
import type { MarketplaceContext } from "./context.ts";
import { planInstall } from "./plan-install.ts";
import { plannedApps } from "./planned-apps.ts";

/** App `index` of a chain: it needs the next one and a permission of it. */
function appInChain(index: number, length: number): LiveApp {
  const [name, next] = [`app-${index}`, `app-${index + 1}`];
  const last = index + 1 === length;
  const manifest = create(AppManifestSchema, {
    name,
    version: "1.0.0",
    dependencies: last ? [] : [{ appName: next, kind: DependencyKind.HARD }],
    requiredPermissions: last ? [] : [{ scope: "items:read", resourceType: next, reason: "x" }],
  });
  const app = { id: `id-${index}`, name, version: "1.0.0", manifestDigest: "d", state: "REGISTERED" } as AppRecord;
  return liveApp(app, { manifest, certificate: new Uint8Array(), targetManifest: undefined });
}

function approvalsFor({ manifest }: LiveApp): readonly Approval[] {
  const by = { approvedBy: "user:admin", approvedAt: new Date(0) };
  return requirementsOf(manifest, "always").map((requirement) => ({ ...requirement, ...by }));
}

/** Returns the part of the context that plans use, and what was called. */
function contextOver(lives: readonly LiveApp[], approved: readonly LiveApp[]) {
  const calls: string[] = [];
  const byId = new Map(approved.map((live) => [live.app.id, approvalsFor(live)]));
  const context = {
    apps: {
      get: (name: string) => lives.find(({ app }) => app.name === name),
      allCurrent: async () => {
        calls.push("allCurrent");
        return lives;
      },
    },
    approvals: {
      approvals: async (id: string) => {
        calls.push("approvals");
        return byId.get(id) ?? [];
      },
      approvalsOf: async (ids: readonly string[]) => {
        calls.push(`approvalsOf ${ids.length}`);
        return new Map(ids.flatMap((id) => (byId.has(id) ? [[id, byId.get(id)] as const] : [])));
      },
    },
    policy: { crossAppApproval: "always", replicaLimit: { most: 10, because: "" } },
  };
  return { context: context as unknown as MarketplaceContext, calls };
}

const lives = Array.from({ length: 200 }, (_, index) => appInChain(index, 200));

test("a plan over 200 apps is two reads: all apps, and the approvals of all that it may install", async () => {
  const { context, calls } = contextOver(lives, lives);
  const { steps, blockers } = await planInstall(context, "app-0");
  assert.deepEqual([steps.length, blockers, calls], [200, [], ["allCurrent", "approvalsOf 199"]]);
});

test("approvals are read only for apps that the plan may install and that need some", async () => {
  const installed = lives.map((live, index) =>
    index < 190 ? live : { ...live, app: { ...live.app, state: "RUNNING" as const } },
  );
  const { context, calls } = contextOver(installed, []);
  const { blockers } = await planInstall(context, "app-188");
  assert.deepEqual(calls, ["allCurrent", "approvalsOf 2"]);
  assert.deepEqual(
    blockers.map(({ code, details }) => [code, details?.["app"]]),
    [
      ["APPROVAL_REQUIRED", "app-189"],
      ["APPROVAL_REQUIRED", "app-188"],
    ],
  );
  calls.length = 0;
  assert.equal((await planInstall(context, "app-199")).steps.length, 0);
  assert.deepEqual(calls, ["allCurrent"]);
});

test("the table of apps needs no approvals", async () => {
  const { context, calls } = contextOver(lives, []);
  assert.equal((await plannedApps(context)).size, 200);
  assert.deepEqual(calls, ["allCurrent"]);
});

test("a plan without dependencies installs the app alone, and has a digest of its own", async () => {
  const { context } = contextOver(lives.slice(198), lives);
  const alone = await planInstall(context, "app-198", { withDependencies: false });
  assert.deepEqual([alone.steps, alone.blockers.map(({ code }) => code)], [[], ["DEPENDENCY_UNSATISFIED"]]);
  const whole = await planInstall(context, "app-198");
  assert.notEqual(alone.digest, whole.digest);
  assert.equal((await planInstall(context, "app-199", { withDependencies: false })).steps.length, 1);
});
