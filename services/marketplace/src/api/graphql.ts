import { scopeOwner } from "@appserver/contracts/authorization";
import type {
  AppApi,
  AppFilter as AppFilterInput,
  AppMutationResult,
  AppPermission,
  AppStateFilter,
  Asset,
  InstallPlan,
  NavigationRoute,
} from "@appserver/contracts/graphql/types";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { NavigationRoute as ManifestRoute } from "@appserver/contracts/proto/appserver/v2/ui";
import { type Caller, connectionOf, pageSize, requirePermission } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { isInstalled } from "../domain/app-state.ts";
import { proxiedApi } from "../domain/proxied-api.ts";
import { requirementsOf } from "../domain/required-permissions.ts";
import { satisfies } from "../domain/version-constraint.ts";
import type { AppNews } from "../ports.ts";
import { approvePermissions } from "../use-cases/approve-permissions.ts";
import { conditionsOf, type MarketplaceContext, manifestOf } from "../use-cases/context.ts";
import { installApp } from "../use-cases/install-app.ts";
import { planInstall } from "../use-cases/plan-install.ts";
import { type AppFilter, cursorOf, listApps, matchesFilter } from "../use-cases/read-apps.ts";
import { uninstallApp } from "../use-cases/uninstall-app.ts";
import * as present from "./graphql-app.ts";

/** The values that the GraphQL listener passes to every resolver. */
export interface GraphqlCallContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

export interface GraphqlDependencies {
  readonly context: MarketplaceContext;
  readonly news: AppNews;
  /** Returns the versioned URL of an asset. */
  readonly assetUrl: (appName: string, assetName: string, sha256: string) => string;
  readonly breakerState: (appName: string) => AppApi["breaker"];
}

/** Parent object of the fields of App: the record, and data that is loaded once on demand. */
interface AppNode extends present.AppScalars {
  readonly record: AppRecord;
  readonly manifest: () => Promise<AppManifest>;
}

/** Returns the resolvers of the marketplace schema. They only translate between GraphQL and the use cases. */
export function marketplaceResolvers(deps: GraphqlDependencies) {
  const { context } = deps;
  const node = (record: AppRecord): AppNode => appNode(context, record);

  const mutate = async (
    work: () => Promise<{ app: AppRecord; warnings?: readonly { code: string; message: string }[] }>,
  ): Promise<AppMutationResult> => {
    const { app, warnings } = await work();
    const operation = await context.store.operation(app.id);
    return {
      success: true,
      id: app.id,
      app: node(app) as unknown as NonNullable<AppMutationResult["app"]>,
      operation: operation ? present.operation(operation) : null,
      warnings: warnings ?? [],
      error: null,
    };
  };

  return {
    Query: {
      apps: async (
        _: unknown,
        args: { filter?: AppFilterInput | null; first?: number | null; after?: string | null },
        call: GraphqlCallContext,
      ) => {
        await requirePermission(context.permissions, call.caller, "app:view");
        const page = await listApps(context, readFilter(args.filter), {
          first: args.first ?? undefined,
          after: args.after ?? undefined,
        });
        return { ...connectionOf(page, args.after, { cursor: cursorOf, node }), totalCount: page.totalCount };
      },
      app: async (_: unknown, args: { name: string }, call: GraphqlCallContext) => {
        await requirePermission(context.permissions, call.caller, "app:view");
        const app = await context.store.findByName(args.name);
        return app ? node(app) : null;
      },
      asset: async (
        _: unknown,
        args: { appName: string; assetName: string },
        call: GraphqlCallContext,
      ): Promise<Asset | null> => {
        await requirePermission(context.permissions, call.caller, "app:view");
        const app = await context.store.findByName(args.appName);
        if (!app) return null;
        const found = (await context.store.assets(app.id, app.version)).find((candidate) => candidate.name === args.assetName);
        return found ? present.asset(app.name, found, deps.assetUrl(app.name, found.name, found.sha256)) : null;
      },
      installPlan: async (
        _: unknown,
        args: { name: string; version?: string | null },
        call: GraphqlCallContext,
      ): Promise<InstallPlan> => {
        await requirePermission(context.permissions, call.caller, "app:view");
        const plan = await planInstall(context, args.name, args.version ?? undefined);
        const planned = node(plan.app);
        const approvalsNeeded = (await permissionsOf(context, planned)).filter((permission) => !permission.approved);
        return {
          app: planned as unknown as InstallPlan["app"],
          steps: plan.steps,
          digest: plan.digest,
          blockers: plan.blockers,
          warnings: plan.warnings,
          approvalsNeeded,
        };
      },
    },
    Mutation: {
      installApp: (_: unknown, { name, planDigest }: { name: string; planDigest?: string | null }, call: GraphqlCallContext) =>
        mutate(() => installApp(context, { name, planDigest: planDigest ?? undefined, caller: call.caller })),
      uninstallApp: (_: unknown, args: { name: string }, call: GraphqlCallContext) =>
        mutate(async () => ({ app: await uninstallApp(context, { name: args.name, purgeData: false, caller: call.caller }) })),
      approvePermissions: (
        _: unknown,
        { name, scopes, manifestDigest }: { name: string; scopes: readonly string[]; manifestDigest?: string | null },
        { caller }: GraphqlCallContext,
      ) =>
        mutate(async () => ({
          app: await approvePermissions(context, { name, scopes, manifestDigest: manifestDigest ?? undefined, caller }),
        })),
    },
    Subscription: {
      appStateChanged: {
        subscribe: (_: unknown, args: { filter?: AppStateFilter | null }, call: GraphqlCallContext) =>
          appChanges(deps, readFilter(args.filter), call),
      },
    },
    App: {
      conditions: (app: AppNode) => conditionsOf(context, app.record),
      requiredPermissions: (app: AppNode) => permissionsOf(context, app),
      dependencies: async (app: AppNode) => {
        const { dependencies } = await app.manifest();
        return Promise.all(
          dependencies.map(async (declared) => {
            const target = await context.store.findByName(declared.appName);
            const satisfied =
              target !== undefined && isInstalled(target.state) && satisfies(target.version, declared.versionConstraint);
            return present.dependency(declared, target, satisfied);
          }),
        );
      },
      ui: async (app: AppNode, _: unknown, call: GraphqlCallContext) => {
        const manifest = await app.manifest();
        const declared = manifest.webApp?.ui;
        const entry =
          declared &&
          (await context.store.assets(app.id, app.version)).find((candidate) => candidate.name === declared.entryAssetName);
        if (!declared || !entry) return null;
        const navigation = await visibleNavigation(context, call.caller, app.name, declared.navigation);
        return present.ui(
          manifest,
          present.asset(app.name, entry, deps.assetUrl(app.name, entry.name, entry.sha256)),
          navigation,
        );
      },
      api: async (app: AppNode) => {
        const api = (await app.manifest()).webApp?.api;
        return api ? present.api(app.name, proxiedApi(app.name, api), deps.breakerState(app.name)) : null;
      },
      assets: async (app: AppNode) => {
        const assets = await context.store.assets(app.id, app.version);
        return assets.map((record) => present.asset(app.name, record, deps.assetUrl(app.name, record.name, record.sha256)));
      },
      deployment: async (app: AppNode) => {
        const view = await context.deployments.find(app.id);
        return view ? present.deployment(view) : null;
      },
      operation: async (app: AppNode) => {
        const record = await context.store.operation(app.id);
        return record ? present.operation(record) : null;
      },
      history: async (app: AppNode, args: { first?: number | null }) => {
        const transitions = await context.store.history(app.id, pageSize(args.first, 20));
        return transitions.map((transition) => ({
          ...transition,
          from: transition.from ?? null,
          actor: transition.actor ?? null,
          at: transition.at.toISOString(),
        }));
      },
    },
  };
}

function appNode(context: MarketplaceContext, record: AppRecord): AppNode {
  let loading: Promise<AppManifest> | undefined;
  return {
    ...present.appScalars(record),
    record,
    manifest: () => {
      loading ??= manifestOf(context, record);
      return loading;
    },
  };
}

async function permissionsOf(context: MarketplaceContext, app: AppNode): Promise<readonly AppPermission[]> {
  const requirements = requirementsOf(await app.manifest(), context.policy.crossAppApproval);
  const approvals = await context.approvals.approvals(app.id);
  return requirements.map((requirement) => present.permission(requirement, approvals));
}

/**
 * Returns the entries that the caller may see: those whose permissions the caller holds. An entry without permissions is
 * visible to every caller.
 */
async function visibleNavigation(
  context: MarketplaceContext,
  caller: Caller,
  appName: string,
  routes: readonly ManifestRoute[],
): Promise<readonly NavigationRoute[]> {
  const visible: NavigationRoute[] = [];
  for (const route of routes) {
    const held = await Promise.all(
      route.requiredPermissions.map((permission) =>
        context.permissions.allowed(caller, permission, scopeOwner(permission, appName)),
      ),
    );
    if (held.every(Boolean))
      visible.push(present.navigationRoute(route, await visibleNavigation(context, caller, appName, route.children)));
  }
  return visible;
}

function readFilter(filter: AppFilterInput | AppStateFilter | null | undefined): AppFilter {
  if (!filter) return {};
  const input: AppFilterInput = filter;
  const names = [...(input.names ?? []), ...(input.appNames ?? [])];
  const states = [...(input.states ?? []), ...(input.state ? [input.state] : [])];
  return {
    ...(input.names || input.appNames ? { names } : {}),
    ...(input.states || input.state ? { states } : {}),
    search: input.search ?? undefined,
  };
}

/** Yields the full app at each change, with the state of that change (docs/interface/events.md#app-subscription). */
async function* appChanges(deps: GraphqlDependencies, filter: AppFilter, call: GraphqlCallContext): AsyncGenerator<AppNode> {
  const { context, news } = deps;
  await requirePermission(context.permissions, call.caller, "app:view");
  for await (const change of news.changes(call.signal ?? new AbortController().signal)) {
    const stored = await context.store.findByName(change.appName);
    if (!stored) continue;
    const app = { ...stored, state: change.state ?? stored.state };
    if (matchesFilter(app, filter)) yield appNode(context, app);
  }
}
