import type {
  AppFilter as AppFilterInput,
  AppOrder,
  Asset,
  InstallPlan,
  Operation,
  UpgradePlan,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import { imageOf } from "../../domain/app-image.ts";
import { readUpgradePlan } from "../../use-cases/plan-upgrade.ts";
import { cursorOf, listApps, readApp, readAsset } from "../../use-cases/read-apps.ts";
import { readInstallPlan } from "../../use-cases/read-install-plan.ts";
import { readOperationById } from "../../use-cases/read-operations.ts";
import { readFilter } from "./app-filter.ts";
import { type AppNode, appNode, assetNode, type GraphqlDeps, permissionNodes } from "./app-node.ts";
import * as present from "./present.ts";

interface AppsArguments {
  readonly filter?: AppFilterInput | null;
  readonly order?: AppOrder | null;
  readonly descending?: boolean | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

interface PlanArguments {
  readonly name: string;
  readonly version?: string | null;
  readonly withDependencies?: boolean | null;
}

/** Returns the resolvers of the root fields of queries. */
export function appQueries(deps: GraphqlDeps) {
  const { context } = deps;
  return {
    apps: (_: unknown, args: AppsArguments, call: Call) => apps(deps, args, call),
    app: async (_: unknown, args: { name: string }, call: Call): Promise<AppNode | null> => {
      const app = await readApp(context, args.name, call);
      return app ? appNode(context, app) : null;
    },
    asset: async (_: unknown, args: { appName: string; assetName: string }, call: Call): Promise<Asset | null> => {
      const found = await readAsset(context, args, call);
      return found ? assetNode(deps, found.app, found.asset) : null;
    },
    installPlan: (_: unknown, { name, version, withDependencies }: PlanArguments, call: Call) =>
      installPlan(deps, { name, version: version ?? undefined, withDependencies: withDependencies ?? undefined }, call),
    upgradePlan: (_: unknown, { name, version }: PlanArguments, call: Call) =>
      upgradePlan(deps, { name, version: version ?? undefined }, call),
    operation: async (_: unknown, { id }: { id: string }, call: Call): Promise<Operation | null> => {
      const view = await readOperationById(context, id, call);
      return view ? present.operation(view) : null;
    },
  };
}

async function apps({ context }: GraphqlDeps, { filter, first, after, ...sorting }: AppsArguments, call: Call) {
  const { order, descending } = { order: sorting.order ?? undefined, descending: sorting.descending ?? undefined };
  const request = { filter: readFilter(filter), order, descending, first: first ?? undefined, after: after ?? undefined };
  const page = await listApps(context, request, call);
  const node = (record: Parameters<typeof cursorOf>[0]): AppNode => appNode(context, record);
  return { ...connectionOf(page, after, { cursor: (app) => cursorOf(app, order), node }), count: page.totalCount };
}

async function installPlan(
  { context }: GraphqlDeps,
  request: Parameters<typeof readInstallPlan>[1],
  call: Call,
): Promise<Omit<InstallPlan, "app"> & { readonly app: AppNode }> {
  const { app, image, steps, digest, blockers, warnings, approvalsNeeded } = await readInstallPlan(context, request, call);
  return {
    app: appNode(context, app),
    image: present.image(image),
    steps: steps.map(present.planStep),
    digest,
    blockers,
    warnings,
    approvalsNeeded: permissionNodes({ requirements: approvalsNeeded, approvals: [] }),
  };
}

async function upgradePlan(
  { context }: GraphqlDeps,
  request: Parameters<typeof readUpgradePlan>[1],
  call: Call,
): Promise<Omit<UpgradePlan, "app"> & { readonly app: AppNode }> {
  const { live, release, to, steps, digest, blockers, warnings, approvalsNeeded, differences } = await readUpgradePlan(
    context,
    request,
    call,
  );
  return {
    app: appNode(context, live.app),
    version: release.version,
    image: present.image(imageOf(to.manifest)),
    steps: steps.map(present.planStep),
    digest,
    blockers,
    warnings,
    approvalsNeeded: permissionNodes({ requirements: approvalsNeeded, approvals: [] }),
    differences,
  };
}
