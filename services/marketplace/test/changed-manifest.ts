import assert from "node:assert/strict";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { checkManifest, type ValidationRules } from "../src/domain/manifest/check-manifest.ts";
import { now, validManifest } from "./complete-manifest.ts";

export const rules: ValidationRules = { platformVersion: "1.4.0", now, allowUnsigned: false };

/** Returns the valid manifest with one change. */
export function changed(change: (manifest: AppManifest) => void): AppManifest {
  const manifest = validManifest();
  change(manifest);
  return manifest;
}

export function required<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}
export const webApp = (manifest: AppManifest) => required(manifest.webApp);

/** Sets `value` at the field path of a violation, for example `web_app.api.routes[0].timeout_ms`. */
export function put(manifest: AppManifest, field: string, value: unknown): void {
  const keys = field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()).split(/[.[\]]+/);
  const path = keys.filter((key) => key !== "");
  const last = required(path.pop());
  let at = manifest as unknown as Record<string, unknown>;
  for (const key of path) at = required(at[key]) as Record<string, unknown>;
  at[last] = value;
}

/** Returns the fields of the violations of the valid manifest with one change. */
export const fieldsOf = (change: (manifest: AppManifest) => void): readonly string[] =>
  checkManifest(changed(change), rules).violations.map(({ field }) => field);
