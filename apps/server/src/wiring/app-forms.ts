import { X509Certificate } from "node:crypto";
import type { AppKey } from "@appserver/access";
import { type ActivityApp, readDefinition } from "@appserver/activity";
import type { HookApp } from "@appserver/hooks";
import { acceptsSettings, backendOf, type LiveApp } from "@appserver/marketplace";
import type { SettingsApp } from "@appserver/settings";

/** Returns an app as the activity service sees it. */
export function toActivityApp({ app, manifest }: LiveApp): ActivityApp {
  const { id, name, version, enabled } = app;
  return { id, name, version, activities: manifest.activities.map(readDefinition), isDisabled: !enabled };
}

/** Returns an app as the hooks service sees it. */
export function toHookApp(live: LiveApp): HookApp {
  const { app, api, manifest } = live;
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    declaredBy: `${app.version}#${app.generation}`,
    hooks: manifest.hooks.map(({ hookName, path }) => ({ hookName, path: path === "" ? undefined : path })),
    backend: app.enabled && api ? backendOf(live) : undefined,
  };
}

/** Returns an app as the settings service sees it. */
export function toSettingsApp({ app, manifest }: LiveApp): SettingsApp {
  return {
    id: app.id,
    name: app.name,
    version: app.version,
    definitions: manifest.settings?.definitions ?? [],
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
