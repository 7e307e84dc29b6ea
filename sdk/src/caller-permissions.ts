import { appEnvironment } from "./app-environment.ts";
import { readAppIdentity } from "./app-identity.ts";
import { createPlatformClient, type PlatformClient } from "./platform-client.ts";

/** Checks whether a caller of the app holds one of its permissions. */
export type CallerPermissions = (
  caller: { readonly userId: string | undefined; readonly appName: string | undefined },
  permission: string,
) => Promise<boolean>;

type Platform = Pick<PlatformClient, "access">;

/** Asks the given platform, else the one that runs the app. It is found, and connected to, by the first check. */
export function callerPermissions(given?: Platform): CallerPermissions {
  let found: Promise<Platform> | undefined;
  const platform = async (): Promise<Platform> => {
    found ??= ownPlatform();
    try {
      return await found;
    } catch (error) {
      found = undefined;
      throw error;
    }
  };
  return async ({ userId = "", appName = "" }, permission) => {
    if (userId === "" && appName === "") return false;
    const { access } = given ?? (await platform());
    const { held } = await access.checkPermissions({ userId, appName, permissions: [permission] });
    return held.includes(permission);
  };
}

async function ownPlatform(): Promise<Platform> {
  const name = process.env["APP_NAME"];
  const { grpcAddress } = appEnvironment(process.env);
  if (!name || grpcAddress === undefined) {
    throw new Error(
      "permissions of callers cannot be checked: the platform sets APP_NAME and APPSERVER_GRPC_ADDRESS for the apps that it runs; other apps pass `platform` to serveApp",
    );
  }
  const { privateKey } = await readAppIdentity();
  return createPlatformClient({ grpcUrl: `http://${grpcAddress}`, app: { name, privateKey } });
}
