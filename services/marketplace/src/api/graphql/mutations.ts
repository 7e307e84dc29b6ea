import type { AppMutationResult } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import type { AppRecord, Problem } from "../../domain/app.ts";
import { approvePermissions } from "../../use-cases/approve-permissions.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { installApp } from "../../use-cases/install-app.ts";
import { readOperation } from "../../use-cases/read-app-parts.ts";
import { uninstallApp } from "../../use-cases/uninstall-app.ts";
import { appNode, type GraphqlDeps } from "./app-node.ts";
import * as present from "./present.ts";

interface ApproveArguments {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly manifestDigest?: string | null;
}

/** Returns the resolvers of the root fields of mutations. */
export function appMutations({ context }: GraphqlDeps) {
  return {
    installApp: async (_: unknown, { name, planDigest }: { name: string; planDigest?: string | null }, call: Call) => {
      const { app, warnings } = await installApp(context, { name, planDigest: planDigest ?? undefined }, call);
      return result(context, app, warnings);
    },
    uninstallApp: async (_: unknown, { name }: { name: string }, call: Call) =>
      result(context, await uninstallApp(context, { name, purgeData: false }, call)),
    approvePermissions: async (_: unknown, { name, scopes, manifestDigest }: ApproveArguments, call: Call) => {
      const request = { name, scopes, manifestDigest: manifestDigest ?? undefined };
      return result(context, await approvePermissions(context, request, call));
    },
  };
}

/** Returns the result of a command on an app that is there. */
export async function result(
  context: MarketplaceContext,
  app: AppRecord,
  warnings: readonly Problem[] = [],
): Promise<AppMutationResult> {
  const operation = await readOperation(context, app);
  return {
    success: true,
    id: app.id,
    app: appNode(context, app) as unknown as NonNullable<AppMutationResult["app"]>,
    operation: operation ? present.operation(operation) : null,
    warnings,
    error: null,
  };
}
