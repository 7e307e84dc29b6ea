import type {
  App,
  DeleteAppRequest,
  DeleteStorageRequest,
  ReplaceKeyRequest,
  RestartAppRequest,
  RevokePermissionsRequest,
  SetAppEnabledRequest,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import type { Call } from "@appserver/kernel";
import type { AppRecord } from "../../domain/app.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { deleteApp } from "../../use-cases/delete-app.ts";
import { deleteStorage } from "../../use-cases/delete-storage.ts";
import { replaceKey } from "../../use-cases/replace-key.ts";
import { restartApp } from "../../use-cases/restart-app.ts";
import { revokePermissions } from "../../use-cases/revoke-permissions.ts";
import { setAppEnabled } from "../../use-cases/set-app-enabled.ts";

/** Returns the methods that change an app but not its version. */
export function lifeMethods(context: MarketplaceContext, view: (app: AppRecord) => Promise<App>) {
  return {
    setAppEnabled: async ({ name, enabled }: SetAppEnabledRequest, call: Call) => ({
      app: await view(await setAppEnabled(context, { name, enabled }, call)),
    }),
    restartApp: async ({ name }: RestartAppRequest, call: Call) => ({
      app: await view(await restartApp(context, { name }, call)),
    }),
    deleteApp: async ({ name }: DeleteAppRequest, call: Call) => ({ id: (await deleteApp(context, { name }, call)).id }),
    deleteStorage: async ({ name, storage }: DeleteStorageRequest, call: Call) => ({
      app: await view(await deleteStorage(context, { name, storage }, call)),
    }),
    replaceKey: async ({ name, certificate }: ReplaceKeyRequest, call: Call) => ({
      app: await view(await replaceKey(context, { name, certificate }, call)),
    }),
    revokePermissions: async ({ name, scopes }: RevokePermissionsRequest, call: Call) => ({
      app: await view(await revokePermissions(context, { name, scopes }, call)),
    }),
  };
}
