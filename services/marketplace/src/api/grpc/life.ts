import type { Operation } from "@appserver/contracts/proto/appserver/v2/common";
import type {
  App,
  ApprovePermissionsRequest,
  DeleteAppRequest,
  DeleteStorageRequest,
  ReplaceKeyRequest,
  RestartAppRequest,
  RevokePermissionsRequest,
  SetAppEnabledRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { Call } from "@appserver/kernel";
import { approvePermissions } from "../../use-cases/approve-permissions.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { deleteApp } from "../../use-cases/delete-app.ts";
import { deleteStorage } from "../../use-cases/delete-storage.ts";
import type { CommandResult } from "../../use-cases/operation.ts";
import { replaceKey } from "../../use-cases/replace-key.ts";
import { restartApp } from "../../use-cases/restart-app.ts";
import { revokePermissions } from "../../use-cases/revoke-permissions.ts";
import { setAppEnabled } from "../../use-cases/set-app-enabled.ts";
import { operationMessage } from "./messages.ts";

/** Converts the result of a command. */
export type ResultOf = (result: CommandResult) => Promise<{ readonly app: App; readonly operation: Operation }>;

/** Returns the methods that change an app but not its version. */
export function lifeMethods(context: MarketplaceContext, resultOf: ResultOf) {
  return {
    approvePermissions: async (request: ApprovePermissionsRequest, call: Call) =>
      resultOf(await approvePermissions(context, request, call)),
    setAppEnabled: async (request: SetAppEnabledRequest, call: Call) => resultOf(await setAppEnabled(context, request, call)),
    restartApp: async (request: RestartAppRequest, call: Call) => resultOf(await restartApp(context, request, call)),
    deleteApp: async (request: DeleteAppRequest, call: Call) => {
      const { appId: id, operation } = await deleteApp(context, request, call);
      return { id, operation: operationMessage(operation) };
    },
    deleteStorage: async (request: DeleteStorageRequest, call: Call) => resultOf(await deleteStorage(context, request, call)),
    replaceKey: async (request: ReplaceKeyRequest, call: Call) => resultOf(await replaceKey(context, request, call)),
    revokePermissions: async (request: RevokePermissionsRequest, call: Call) =>
      resultOf(await revokePermissions(context, request, call)),
  };
}
