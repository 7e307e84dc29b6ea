import type { AppUi, NavigationRoute } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import { proxiedApi } from "../../domain/proxied-api.ts";
import { conditionsOf } from "../../use-cases/context.ts";
import {
  readAssets,
  readDependencies,
  readDeployment,
  readHistory,
  readNavigation,
  readReleases,
  readRequiredPermissions,
  readStorage,
  readVersionHistory,
  type VisibleRoute,
} from "../../use-cases/read-app-parts.ts";
import { readOperation } from "../../use-cases/read-operations.ts";
import { type AppNode, assetNode, type GraphqlDeps, permissionNodes } from "./app-node.ts";
import * as present from "./present.ts";

/** Returns the resolvers of the fields of App that are not in its record. */
export function appFields(deps: GraphqlDeps) {
  const { context } = deps;
  return {
    conditions: (app: AppNode) => conditionsOf(context, app.record),
    requiredPermissions: async (app: AppNode) =>
      permissionNodes(await readRequiredPermissions(context, app, await app.manifest())),
    dependencies: async (app: AppNode) =>
      (await readDependencies(context, await app.manifest())).map(({ declared, target, satisfied }) =>
        present.dependency(declared, target, satisfied),
      ),
    ui: (app: AppNode, _: unknown, call: Call) => ui(deps, app, call),
    api: async (app: AppNode) => {
      const api = (await app.manifest()).webApp?.api;
      return api ? present.api(app.name, proxiedApi(app.name, api), deps.breakerState(app.name)) : null;
    },
    assets: async (app: AppNode) => (await readAssets(context, app)).map((record) => assetNode(deps, app.record, record)),
    deployment: async (app: AppNode, _: unknown, call: Call) => {
      const view = await readDeployment(context, app.record, call);
      return view ? present.deployment(view) : null;
    },
    storage: async (app: AppNode) => (await readStorage(context, app, await app.manifest())).map(present.storage),
    operation: async (app: AppNode) => {
      const view = await readOperation(context, app.record);
      return view ? present.operation(view) : null;
    },
    history: async (app: AppNode, args: { first?: number | null }) =>
      (await readHistory(context, app, args.first)).map(present.transition),
    releases: async (app: AppNode) => (await readReleases(context, app)).map(present.release),
    versionHistory: async (app: AppNode, args: { first?: number | null }) =>
      (await readVersionHistory(context, app, args.first)).map(present.versionChange),
  };
}

async function ui(deps: GraphqlDeps, app: AppNode, call: Call): Promise<AppUi | null> {
  const manifest = await app.manifest();
  const declared = manifest.webApp?.ui;
  if (!declared) return null;
  const entry = (await readAssets(deps.context, app)).find(({ name }) => name === declared.entryAssetName);
  if (!entry) return null;
  const routes = app.enabled ? declared.navigation : [];
  const navigation = await readNavigation(deps.context, { appName: app.name, routes }, call);
  return present.ui(manifest, assetNode(deps, app.record, entry), navigation.map(routeNode));
}

function routeNode({ route, children }: VisibleRoute): NavigationRoute {
  return present.navigationRoute(route, children.map(routeNode));
}
