import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type App,
  AppNeed,
  AppOrder,
  type GetAppRequest,
  type InstallAppRequest,
  type ListAppsRequest,
  type PlanInstallRequest,
  type UninstallAppRequest,
  type WatchAppsRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type Call, invalidField, nextPageToken, oncePerObject } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import type { AppState as DomainState } from "../domain/app-state.ts";
import type { AppOrder as DomainOrder } from "../ports.ts";
import { certificateExpiry, type AppNeed as DomainNeed } from "../use-cases/apps-with-needs.ts";
import { liveOf, type MarketplaceContext, manifestOf, unknownApp } from "../use-cases/context.ts";
import { installApp } from "../use-cases/install-app.ts";
import type { CommandResult } from "../use-cases/operation.ts";
import { readDeployment, readDeploymentEvents, readHistory, readStorage } from "../use-cases/read-app-parts.ts";
import { type AppFilter, cursorOf, listApps, readApp } from "../use-cases/read-apps.ts";
import { readInstallPlan } from "../use-cases/read-install-plan.ts";
import { uninstallApp } from "../use-cases/uninstall-app.ts";
import { type WatchedApps, watchApps } from "../use-cases/watch-apps.ts";
import { deploymentEventMessage, deploymentMessage, transitionMessage } from "./grpc/deployment-message.ts";
import { lifeMethods } from "./grpc/life.ts";
import {
  type AssetUrl,
  appMessage,
  databaseMessage,
  operationMessage,
  planMessage,
  problemMessage,
  storageMessage,
} from "./grpc/messages.ts";
import { registrationMethods } from "./grpc/registration.ts";
import { versionMethods } from "./grpc/versions.ts";

export interface GrpcDeps {
  readonly context: MarketplaceContext & WatchedApps;
  readonly assetUrl: AssetUrl;
}

/** Returns the implemented methods of `appserver.v2.MarketplaceService`. They only translate between gRPC and the use cases. */
export function marketplaceGrpc({ context, assetUrl }: GrpcDeps) {
  const view = async (app: AppRecord): Promise<App> => {
    const [manifest, live] = await Promise.all([manifestOf(context, app), liveOf(context, app)]);
    return appMessage(app, { manifest, certificateExpiresAt: live && certificateExpiry(live), assetUrl });
  };
  const changedView = oncePerObject(view);
  const resultOf = async ({ app, operation }: CommandResult) => ({
    app: await view(app),
    operation: operationMessage(operation),
  });

  return {
    ...registrationMethods(context, resultOf),
    ...versionMethods(context, resultOf),
    ...lifeMethods(context, resultOf),
    planInstall: async (request: PlanInstallRequest, call: Call) => planMessage(await readInstallPlan(context, request, call)),
    installApp: async (request: InstallAppRequest, call: Call) => {
      const { warnings, ...installed } = await installApp(context, request, call);
      return { ...(await resultOf(installed)), warnings: warnings.map(problemMessage) };
    },
    uninstallApp: async (request: UninstallAppRequest, call: Call) => resultOf(await uninstallApp(context, request, call)),
    getApp: async ({ name }: GetAppRequest, call: Call) => {
      const app = await readApp(context, name, call);
      if (!app) throw unknownApp(name);
      const [storage, database, deployment, transitions, events] = await Promise.all([
        readStorage(context, app, await manifestOf(context, app)),
        context.deployments.database(app.id),
        readDeployment(context, app, call),
        readHistory(context, app, undefined),
        readDeploymentEvents(context, app, undefined),
      ]);
      return {
        app: await view(app),
        storage: storage.map(storageMessage),
        ...(database ? { database: databaseMessage(database) } : {}),
        ...(deployment ? { deployment: deploymentMessage(deployment) } : {}),
        transitions: transitions.map(transitionMessage),
        deploymentEvents: events.map(deploymentEventMessage),
      };
    },
    listApps: async (request: ListAppsRequest, call: Call) => {
      const { pageSize: first, pageToken: after, descending } = request;
      const order = orderOf(request.order);
      const filter = { ...filterOf(request), search: request.search, needs: needsOf(request.needs) };
      const page = await listApps(context, { filter, order, descending, first, after }, call);
      const cursor = (app: AppRecord) => cursorOf(app, order);
      return { apps: await Promise.all(page.items.map(view)), nextPageToken: nextPageToken(page, cursor) };
    },
    watchApps: async function* (request: WatchAppsRequest, call: Call) {
      for await (const app of watchApps(context, filterOf(request), call)) yield { app: await changedView(app) };
    },
  };
}

function orderOf(order: AppOrder | undefined): DomainOrder | undefined {
  if (order === undefined || order === AppOrder.UNSPECIFIED) return undefined;
  if (AppOrder[order] === undefined) throw invalidField("order", "must be NAME, STATE or UPDATED");
  return AppOrder[order] as DomainOrder;
}

function needsOf(needs: readonly AppNeed[]): readonly DomainNeed[] | undefined {
  if (needs.some((need) => need === AppNeed.UNSPECIFIED || AppNeed[need] === undefined))
    throw invalidField("needs", "must be APPROVAL, CONDITION or CERTIFICATE");
  return needs.length === 0 ? undefined : needs.map((need) => AppNeed[need] as DomainNeed);
}

function filterOf(request: { readonly names: readonly string[]; readonly states: readonly AppState[] }): AppFilter {
  return {
    ...(request.names.length > 0 ? { names: request.names } : {}),
    ...(request.states.length > 0 ? { states: request.states.map((state) => AppState[state] as DomainState) } : {}),
  };
}
