import type { AppMutationResult } from "@appserver/contracts/graphql/types";
import type { Problem } from "@appserver/kernel";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import type { CommandResult } from "../../use-cases/operation.ts";
import { type AppNode, appNode } from "./app-node.ts";
import * as present from "./present.ts";

/** The arguments of a command without options. */
export interface Named {
  readonly name: string;
}

/** Returns the result of a command on an app. */
export function result(
  context: MarketplaceContext,
  { app, operation, warnings = [] }: CommandResult & { readonly warnings?: readonly Problem[] },
): Omit<AppMutationResult, "app"> & { readonly app: AppNode } {
  return {
    success: true,
    id: app.id,
    app: appNode(context, app),
    operation: present.operation(operation),
    warnings,
    error: null,
  };
}
