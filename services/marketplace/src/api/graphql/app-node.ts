import type { AppApi, AppPermission, Asset } from "@appserver/contracts/graphql/types";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { AppRecord, AssetRecord } from "../../domain/app.ts";
import type { AppNotifications } from "../../ports.ts";
import { type MarketplaceContext, manifestOf } from "../../use-cases/context.ts";
import type { RequiredPermissionsView } from "../../use-cases/read-app-parts.ts";
import * as present from "./present.ts";

/** The dependencies of the resolvers. */
export interface GraphqlDeps {
  readonly context: MarketplaceContext & { readonly notifications: AppNotifications };
  /** Returns the URL of an asset of one release. */
  readonly assetUrl: (appName: string, manifestDigest: string, assetName: string) => string;
  readonly breakerState: (appName: string) => AppApi["breaker"];
}

/** Parent object of the fields of App: the record, and data that is loaded once on demand. */
export interface AppNode extends present.AppScalars {
  readonly record: AppRecord;
  readonly manifest: () => Promise<AppManifest>;
}

export function appNode(context: MarketplaceContext, record: AppRecord): AppNode {
  let loading: Promise<AppManifest> | undefined;
  return {
    ...present.appScalars(record),
    record,
    manifest: () => {
      loading ??= manifestOf(context, record);
      return loading;
    },
  };
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
