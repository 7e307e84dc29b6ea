import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { silentLogger } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import { applyDeployments, applyResuming } from "../use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { replaceOutOfDate } from "../use-cases/replace-out-of-date.ts";
import { resumeOperations, resumeUpgrades } from "./resume-operations.ts";
import { revokeLeftGrants } from "./revoke-left-grants.ts";

const names = ["poisoned", "healthy"] as const;

/** Two apps. Whatever reads the first one fails. `seen` are the apps that a task has reached. */
function scene() {
  const seen = new Set<string>();
  const apps = names.map((name) => ({
    app: {
      id: name,
      name,
      enabled: true,
      state: "RUNNING",
      generation: 1,
      requestsBufferedSince: new Date(0),
      releaseAwaitingAutoUpgrade: "digest",
      updatedAt: new Date(0),
    },
  }));
  const read = async (name: string): Promise<undefined> => {
    seen.add(name);
    if (name === "poisoned") assert.fail("poisoned");
  };
  const context = {
    clock: new FakeClock(),
    logger: silentLogger,
    apps: { all: () => apps, current: read },
    approvals: { toRevoke: async () => names },
    store: {
      findByName: read,
      unfinished: async () =>
        names.map((appName) => ({ id: appName, appName, kind: "install", stage: "grants", actor: "user:a" })),
      operationById: async () => undefined,
    },
    deployments: {
      outOfDate: async () => names,
      statuses: async () => names.map((appId) => ({ appId, generation: 1, state: "FAILED" })),
    },
    unstarted: { keep: () => {} },
    lock: { runIfFree: async (_: string, work: () => Promise<unknown>) => ({ held: true, value: await work() }) },
  } as unknown as MarketplaceContext;
  return { context, seen };
}

describe("an app that fails does not stop a repeated task for the others", () => {
  for (const [task, run] of Object.entries({
    "left grants": revokeLeftGrants,
    operations: resumeOperations,
    upgrades: resumeUpgrades,
    "out-of-date deployments": replaceOutOfDate,
    "resuming apps": applyResuming,
    deployments: applyDeployments,
  } satisfies Readonly<Record<string, (context: MarketplaceContext) => Promise<unknown>>>))
    test(task, async () => {
      const { context, seen } = scene();
      await run(context);
      assert.deepEqual([...seen], names);
    });
});
