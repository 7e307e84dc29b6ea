import type { AppApi, AppPermission, Asset } from "@appserver/contracts/graphql/types";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { oncePerObject } from "@appserver/kernel";
import type { AppRecord, AssetRecord } from "../../domain/app.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { manifestOf } from "../../use-cases/find-app.ts";
import type { RequiredPermissionsView } from "../../use-cases/read-app-parts.ts";
import type { WatchedApps } from "../../use-cases/watch-apps.ts";
import * as present from "./present.ts";

/** The dependencies of the resolvers. */
export interface GraphqlDeps {
  readonly context: MarketplaceContext & WatchedApps;
  readonly assetUrl: present.AssetUrl;
  readonly breakerState: (appName: string) => AppApi["breaker"];
}

/**
 * Parent object of the fields of App: the record, and data that is loaded once on demand. All subscribers of a change share one
 * node, so nothing in it may depend on the caller.
 */
export interface AppNode extends present.AppScalars {
  readonly record: AppRecord;
  readonly manifest: () => Promise<AppManifest>;
  /** Returns what the first call with this name loaded. The name includes the arguments of the load. */
  readonly once: <T>(name: string, load: () => Promise<T>) => Promise<T>;
}

/** Lists return the same records as long as the apps do not change. */
const scalarsOf = oncePerObject(present.appScalars);

export function appNode(context: MarketplaceContext, record: AppRecord): AppNode {
  // Most nodes of a list load nothing.
  let loads: Map<string, Promise<unknown>> | undefined;
  const once = <T>(name: string, load: () => Promise<T>): Promise<T> => {
    loads ??= new Map();
    const loading = (loads.get(name) as Promise<T> | undefined) ?? load();
    loads.set(name, loading);
    return loading;
  };
  const manifest = (): Promise<AppManifest> => once("manifest", () => manifestOf(context, record));
  return { ...scalarsOf(record), record, once, manifest };
}

/** `app` names the release that the asset belongs to. */
export function assetNode(
  { assetUrl }: GraphqlDeps,
  { name, manifestDigest }: Pick<AppRecord, "name" | "manifestDigest">,
  record: AssetRecord,
): Asset {
  return present.asset(name, record, assetUrl(name, manifestDigest, record.name));
}

export function permissionNodes({ requirements, approvals }: RequiredPermissionsView): readonly AppPermission[] {
  return requirements.map((requirement) => present.permission(requirement, approvals));
}
