import { createHash } from "node:crypto";
import { type SettingsView, secretsSet, storedValues, valuesOf } from "../../use-cases/context.ts";
import { schemaJson } from "../schema-json.ts";

/** Returns the response with the settings of an app. */
export function settingsReply(view: SettingsView) {
  const { app, version, updatedAt, updatedBy } = view;
  return {
    status: 200,
    // Other callers get masks, so the response depends on the caller and must not be shared.
    headers: { etag: entityTag(view), "cache-control": "private, no-cache", vary: "Cookie, Authorization, X-App-Name" },
    json: {
      appId: app.id,
      values: valuesOf(view),
      schema: schemaJson(view),
      version,
      stored: storedValues(view),
      secretsSet: secretsSet(view),
      updatedAt: updatedAt?.toISOString() ?? null,
      updatedBy: updatedBy ?? null,
      conditions: view.conditions.map(({ since, ...condition }) => ({ ...condition, lastTransitionTime: since.toISOString() })),
    },
  };
}

/** Returns the version and a hash of the other inputs of the representation. It depends on no value of a setting. */
function entityTag({ version, app, seesSecrets, conditions }: SettingsView): string {
  const rest = JSON.stringify([app.version, seesSecrets, conditions.map(({ message }) => message)]);
  return `"${version}.${createHash("sha256").update(rest).digest("hex").slice(0, 12)}"`;
}
