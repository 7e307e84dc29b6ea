import { quote } from "@appserver/contracts/patterns";
import type {
  GetOperationRequest,
  ListVersionsRequest,
  PlanUpgradeRequest,
  RedeployAppRequest,
  RollbackAppRequest,
  UpgradeAppRequest,
  WatchOperationRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { AppError, type Call } from "@appserver/kernel";
import { type MarketplaceContext, unknownApp } from "../../use-cases/context.ts";
import { readUpgradePlan } from "../../use-cases/plan-upgrade.ts";
import { readReleases, readVersionHistory } from "../../use-cases/read-app-parts.ts";
import { readApp } from "../../use-cases/read-apps.ts";
import { readOperationById, watchOperation } from "../../use-cases/read-operations.ts";
import { redeployApp } from "../../use-cases/redeploy-app.ts";
import { rollbackApp, upgradeApp } from "../../use-cases/upgrade-app.ts";
import type { ResultOf } from "./life.ts";
import { changeMessage, operationMessage, planMessage, releaseMessage } from "./messages.ts";

/** Entries of the history in one response. */
const shownChanges = 100;

/** Returns the methods that switch an app to another version, and those that follow an operation. */
export function versionMethods(context: MarketplaceContext, resultOf: ResultOf) {
  return {
    planUpgrade: async (request: PlanUpgradeRequest, call: Call) => {
      const plan = await readUpgradePlan(context, request, call);
      const { steps, blockers, warnings, approvalsNeeded, digest } = planMessage(plan);
      const differences = JSON.parse(JSON.stringify(plan.differences));
      return { version: plan.release.version, steps, blockers, warnings, approvalsNeeded, digest, differences };
    },
    upgradeApp: async (request: UpgradeAppRequest, call: Call) => resultOf(await upgradeApp(context, request, call)),
    rollbackApp: async (request: RollbackAppRequest, call: Call) => resultOf(await rollbackApp(context, request, call)),
    redeployApp: async (request: RedeployAppRequest, call: Call) => resultOf(await redeployApp(context, request, call)),
    listVersions: async ({ name }: ListVersionsRequest, call: Call) => {
      const app = await readApp(context, name, call);
      if (!app) throw unknownApp(name);
      const [releases, changes] = await Promise.all([
        readReleases(context, app),
        readVersionHistory(context, app, shownChanges),
      ]);
      return { releases: releases.map(releaseMessage), changes: changes.map(changeMessage) };
    },
    getOperation: async ({ id }: GetOperationRequest, call: Call) => {
      const found = await readOperationById(context, id, call);
      if (!found) throw new AppError("NOT_FOUND", `there is no operation ${quote(id)}`, { details: { operation: id } });
      return { operation: operationMessage(found) };
    },
    watchOperation: async function* ({ id }: WatchOperationRequest, call: Call) {
      for await (const found of watchOperation(context, id, call)) yield { operation: operationMessage(found) };
    },
  };
}
