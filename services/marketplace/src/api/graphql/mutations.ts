import type { AppMutationResult } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import type { AppRecord, Problem } from "../../domain/app.ts";
import { approvePermissions } from "../../use-cases/approve-permissions.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { installApp } from "../../use-cases/install-app.ts";
import { readOperation } from "../../use-cases/read-operations.ts";
import { uninstallApp } from "../../use-cases/uninstall-app.ts";
import { redeployApp, rollbackApp, upgradeApp } from "../../use-cases/upgrade-app.ts";
import { type AppNode, appNode, type GraphqlDeps } from "./app-node.ts";
import * as present from "./present.ts";

interface InstallArguments {
  readonly name: string;
  readonly planDigest?: string | null;
  readonly withDependencies?: boolean | null;
}

interface VersionArguments {
  readonly name: string;
  readonly version?: string | null;
  readonly planDigest?: string | null;
}

interface ApproveArguments {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly manifestDigest?: string | null;
}

/** Returns the resolvers of the root fields of mutations. */
export function appMutations({ context }: GraphqlDeps) {
  return {
    installApp: async (_: unknown, { name, planDigest, withDependencies }: InstallArguments, call: Call) => {
      const request = { name, planDigest: planDigest ?? undefined, withDependencies: withDependencies ?? undefined };
      const { app, warnings } = await installApp(context, request, call);
      return result(context, app, warnings);
    },
    upgradeApp: async (_: unknown, args: VersionArguments, call: Call) =>
      result(context, (await upgradeApp(context, versionRequest(args), call)).app),
    rollbackApp: async (_: unknown, args: VersionArguments, call: Call) =>
      result(context, (await rollbackApp(context, versionRequest(args), call)).app),
    redeployApp: async (_: unknown, { name, pull }: { name: string; pull?: boolean | null }, call: Call) =>
      result(context, (await redeployApp(context, { name, pull: pull ?? false }, call)).app),
    uninstallApp: async (_: unknown, { name, purgeData }: { name: string; purgeData?: boolean | null }, call: Call) =>
      result(context, await uninstallApp(context, { name, purgeData: purgeData ?? false }, call)),
    approvePermissions: async (_: unknown, { name, scopes, manifestDigest }: ApproveArguments, call: Call) => {
      const request = { name, scopes, manifestDigest: manifestDigest ?? undefined };
      return result(context, await approvePermissions(context, request, call));
    },
  };
}

function versionRequest({ name, version, planDigest }: VersionArguments) {
  return { name, version: version ?? undefined, planDigest: planDigest ?? undefined };
}

/** Returns the result of a command on an existing app. */
export async function result(
  context: MarketplaceContext,
  app: AppRecord,
  warnings: readonly Problem[] = [],
): Promise<Omit<AppMutationResult, "app"> & { readonly app: AppNode }> {
  const operation = await readOperation(context, app);
  return {
    success: true,
    id: app.id,
    app: appNode(context, app),
    operation: operation ? present.operation(operation) : null,
    warnings,
    error: null,
  };
}
