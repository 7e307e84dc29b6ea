import type { Call } from "@appserver/kernel";
import { installApp } from "../../use-cases/install-app.ts";
import { redeployApp } from "../../use-cases/redeploy-app.ts";
import { uninstallApp } from "../../use-cases/uninstall-app.ts";
import { rollbackApp, upgradeApp } from "../../use-cases/upgrade-app.ts";
import type { GraphqlDeps } from "./app-node.ts";
import { type Named, result } from "./command-result.ts";

interface InstallArguments extends Named {
  readonly planDigest?: string | null;
  readonly withDependencies?: boolean | null;
}

interface VersionArguments extends Named {
  readonly version?: string | null;
  readonly planDigest?: string | null;
}

/** Returns the resolvers of the mutations that change which version of an app runs. */
export function appMutations({ context }: GraphqlDeps) {
  return {
    installApp: async (_: unknown, { name, planDigest, withDependencies }: InstallArguments, call: Call) => {
      const request = { name, planDigest: planDigest ?? undefined, withDependencies: withDependencies ?? undefined };
      return result(context, await installApp(context, request, call));
    },
    upgradeApp: async (_: unknown, args: VersionArguments, call: Call) =>
      result(context, await upgradeApp(context, versionRequest(args), call)),
    rollbackApp: async (_: unknown, args: VersionArguments & { readonly withData?: boolean | null }, call: Call) =>
      result(context, await rollbackApp(context, { ...versionRequest(args), withData: args.withData ?? false }, call)),
    redeployApp: async (_: unknown, { name, pull }: Named & { readonly pull?: boolean | null }, call: Call) =>
      result(context, await redeployApp(context, { name, pull: pull ?? false }, call)),
    uninstallApp: async (_: unknown, { name, purgeData }: Named & { readonly purgeData?: boolean | null }, call: Call) =>
      result(context, await uninstallApp(context, { name, purgeData: purgeData ?? false }, call)),
  };
}

function versionRequest({ name, version, planDigest }: VersionArguments) {
  return { name, version: version ?? undefined, planDigest: planDigest ?? undefined };
}
