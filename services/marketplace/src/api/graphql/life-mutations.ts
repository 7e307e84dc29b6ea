import type { Call } from "@appserver/kernel";
import { approvePermissions } from "../../use-cases/approve-permissions.ts";
import { deleteApp } from "../../use-cases/delete-app.ts";
import { deleteStorage } from "../../use-cases/delete-storage.ts";
import { replaceKey } from "../../use-cases/replace-key.ts";
import { restartApp } from "../../use-cases/restart-app.ts";
import { revokePermissions } from "../../use-cases/revoke-permissions.ts";
import { setAppEnabled } from "../../use-cases/set-app-enabled.ts";
import type { GraphqlDeps } from "./app-node.ts";
import { type Named, result } from "./command-result.ts";
import * as present from "./present.ts";

interface ApproveArguments extends Named {
  readonly scopes: readonly string[];
  readonly manifestDigest?: string | null;
}

/** Returns the resolvers of the mutations that change an app but not its version. */
export function lifeMutations({ context }: GraphqlDeps) {
  return {
    approvePermissions: async (_: unknown, { manifestDigest, ...request }: ApproveArguments, call: Call) =>
      result(context, await approvePermissions(context, { ...request, manifestDigest: manifestDigest ?? undefined }, call)),
    setAppEnabled: async (_: unknown, request: Named & { readonly enabled: boolean }, call: Call) =>
      result(context, await setAppEnabled(context, request, call)),
    restartApp: async (_: unknown, request: Named, call: Call) => result(context, await restartApp(context, request, call)),
    deleteApp: async (_: unknown, request: Named, call: Call) => {
      const { appId: id, operation } = await deleteApp(context, request, call);
      return { success: true, id, app: null, operation: present.operation(operation), warnings: [], error: null };
    },
    deleteStorage: async (_: unknown, request: Named & { readonly storage: string }, call: Call) =>
      result(context, await deleteStorage(context, request, call)),
    replaceKey: async (_: unknown, { name, certificate }: Named & { readonly certificate: string }, call: Call) =>
      result(context, await replaceKey(context, { name, certificate: Buffer.from(certificate) }, call)),
    revokePermissions: async (_: unknown, request: Named & { readonly scopes: readonly string[] }, call: Call) =>
      result(context, await revokePermissions(context, request, call)),
  };
}
