import { X509Certificate } from "node:crypto";
import type { AppKey, RequestableApp } from "@appserver/access";
import { type ActivityApp, readDefinition } from "@appserver/activity";
import { hasExclusiveStorage } from "@appserver/contracts/manifest";
import type { ReplicaLimit } from "@appserver/contracts/settings";
import type { DeclaredHooks, HookApp } from "@appserver/hooks";
import { acceptsSettings, backendOf, type LiveApp, ownPermissions } from "@appserver/marketplace";
import type { SettingsApp } from "@appserver/settings";

/** Returns what people may ask for, of an app. */
export function toRequestableApp({ app, manifest }: Pick<LiveApp, "app" | "manifest">): RequestableApp {
  const { id, name, displayName, version } = app;
  return { id, name, displayName, version, permissions: ownPermissions(manifest) };
}

/** Returns an app as the activity service sees it. */
export function toActivityApp(live: LiveApp): ActivityApp {
  const { id, version, enabled } = live.app;
  return { id, version, ...declaredActivities(live), isDisabled: !enabled, backend: postedTo(live) };
}

/** Returns the activities of the manifest. */
export function declaredActivities({ app, manifest }: Pick<LiveApp, "app" | "manifest">) {
  return { name: app.name, activities: manifest.activities.map(readDefinition) };
}

/** Returns an app as the hooks service sees it. */
export function toHookApp(live: LiveApp): HookApp {
  const { id, version, health } = live.app;
  return { id, version, ...declaredHooks(live), backend: postedTo(live), isHealthy: health === "HEALTHY" };
}

/** Returns where hooks and runs are posted. */
function postedTo(live: LiveApp) {
  return live.app.enabled && live.api ? backendOf(live) : undefined;
}

/** Returns the subscriptions of the manifest. */
export function declaredHooks({ app, manifest }: Pick<LiveApp, "app" | "manifest">): DeclaredHooks {
  return {
    name: app.name,
    declaredBy: `${app.version}#${app.generation}`,
    hooks: manifest.hooks.map(({ hookName, path }) => ({ hookName, path: path === "" ? undefined : path })),
  };
}

/** Returns an app as the settings service sees it. */
export function toSettingsApp({ app, manifest }: LiveApp, limit: ReplicaLimit): SettingsApp {
  const because = "its storage is for one instance at a time, because its manifest does not have upgrade: SIDE_BY_SIDE";
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    definitions: manifest.settings?.definitions ?? [],
    imageDigest: manifest.imageDigest,
    replicaLimit: hasExclusiveStorage(manifest) ? { most: 1, because } : limit,
    mayWrite: acceptsSettings(app),
    updatedAt: app.updatedAt,
  };
}

/** Returns the key of the app's certificate, which verifies its signatures, and the certificate's validity. */
export function toAppKey({ app, certificate }: LiveApp): AppKey {
  const { publicKey, validFromDate, validToDate } = new X509Certificate(certificate);
  return {
    id: app.id,
    key: publicKey,
    validFrom: validFromDate.getTime(),
    validTo: validToDate.getTime(),
    isDisabled: !app.enabled,
  };
}
