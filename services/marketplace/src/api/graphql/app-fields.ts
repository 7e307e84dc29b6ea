import type { AppUi } from "@appserver/contracts/graphql/types";
import { appApi } from "@appserver/contracts/manifest";
import type { Call } from "@appserver/kernel";
import type { AssetRecord } from "../../domain/app.ts";
import { imageOf } from "../../domain/app-image.ts";
import { certificateExpiry } from "../../use-cases/apps-with-needs.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { conditionsOf, liveOf } from "../../use-cases/find-app.ts";
import {
  explainDeployment,
  readAssets,
  readDependencies,
  readDeploymentEvents,
  readHistory,
  readReleases,
  readRequiredPermissions,
  readStorage,
  readVersionHistory,
} from "../../use-cases/read-app-parts.ts";
import { readNavigation } from "../../use-cases/read-navigation.ts";
import { readOperation } from "../../use-cases/read-operations.ts";
import { type AppNode, assetNode, type GraphqlDeps, permissionNodes } from "./app-node.ts";
import * as present from "./present.ts";

/** Returns the resolvers of the fields of App that are not in its record. */
export function appFields(deps: GraphqlDeps) {
  const { context } = deps;
  return {
    conditions: (app: AppNode) => app.once("conditions", () => conditionsOf(context, app.record)),
    certificateExpiresAt: (app: AppNode) =>
      app.once("certificateExpiresAt", async () => {
        const live = await liveOf(context, app.record);
        return live && certificateExpiry(live);
      }),
    requiredPermissions: (app: AppNode) =>
      app.once("requiredPermissions", async () =>
        permissionNodes(await readRequiredPermissions(context, app, await app.manifest())),
      ),
    dependencies: (app: AppNode) =>
      app.once("dependencies", async () => readDependencies(context, await app.manifest()).map(present.dependency)),
    ui: (app: AppNode, _: unknown, call: Call) => ui(deps, app, call),
    api: async (app: AppNode) => {
      const api = appApi(await app.manifest());
      return api ? { ...present.api(app.name, api, deps.breakerState(app.name)), app } : null;
    },
    assets: async (app: AppNode) => (await assets(context, app)).map((record) => assetNode(deps, app.record, record)),
    image: async (app: AppNode) => present.image(imageOf(await app.manifest())),
    deployment: async (app: AppNode, _: unknown, call: Call) => {
      const found = await app.once("deployment", () => context.deployments.find(app.id));
      return found ? present.deployment(await explainDeployment(context, app.record, found, call)) : null;
    },
    storage: (app: AppNode) =>
      app.once("storage", async () => (await readStorage(context, app, await app.manifest())).map(present.storage)),
    database: (app: AppNode) =>
      app.once("database", async () => {
        const found = await context.deployments.database(app.id);
        return found ? present.database(found) : null;
      }),
    operation: (app: AppNode) =>
      app.once("operation", async () => {
        const view = await readOperation(context, app.record);
        return view ? present.operation(view) : null;
      }),
    history: (app: AppNode, { first }: { first?: number | null }) =>
      app.once(`history ${first}`, async () => (await readHistory(context, app, first)).map(present.transition)),
    deploymentEvents: (app: AppNode, { first }: { first?: number | null }) =>
      app.once(`deploymentEvents ${first}`, async () =>
        (await readDeploymentEvents(context, app.record, first)).map(present.deploymentEvent),
      ),
    releases: (app: AppNode) => app.once("releases", async () => (await readReleases(context, app)).map(present.release)),
    versionHistory: (app: AppNode, { first }: { first?: number | null }) =>
      app.once(`versionHistory ${first}`, async () =>
        (await readVersionHistory(context, app, first)).map(present.versionChange),
      ),
  };
}

/** Returns the resolvers of the fields of AppApi that are not in the manifest. */
export function apiFields({ context }: Pick<GraphqlDeps, "context">) {
  return {
    description: ({ app }: { readonly app: AppNode }) =>
      app.once("apiDescription", async () => {
        const { id: appId, manifestDigest } = app.record;
        const found = await context.descriptions.status({ appId, manifestDigest });
        return found ? present.apiDescription(found) : null;
      }),
  };
}

function assets(context: MarketplaceContext, app: AppNode): Promise<readonly AssetRecord[]> {
  return app.once("assets", () => readAssets(context, app));
}

async function ui(deps: GraphqlDeps, app: AppNode, call: Call): Promise<AppUi | null> {
  const manifest = await app.manifest();
  const declared = manifest.webApp?.ui;
  if (!declared) return null;
  const entry = (await assets(deps.context, app)).find(({ name }) => name === declared.entryAssetName);
  if (!entry) return null;
  const routes = app.enabled ? declared.navigation : [];
  const [navigation = []] = await readNavigation(deps.context, [{ appName: app.name, routes }], call);
  return present.ui(manifest, assetNode(deps, app.record, entry), navigation.map(present.visibleRoute));
}
