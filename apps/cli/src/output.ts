import {
  AppState,
  HealthState,
  type Operation,
  OperationSchema,
  type Problem,
} from "@appserver/contracts/proto/appserver/v2/common";
import { type App, AppSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { toJson } from "@bufbuild/protobuf";
import type { GlobalOptions } from "./global-options.ts";
import { harmlessJson, harmlessLines } from "./harmless.ts";
import { renderTable } from "./table.ts";

/** Formats apps, one per line. */
export function appTable(apps: readonly App[]): string {
  return renderTable(
    ["NAME", "VERSION", "AVAILABLE", "STATE", "HEALTH"],
    apps.map((app) => [app.name, app.version, app.availableVersion ?? "-", AppState[app.state], HealthState[app.health]]),
  );
}

/** Formats one app, one field per line. */
export function appDetails(app: App): string {
  return fieldLines([
    ["name", app.name],
    ["display name", app.displayName],
    ["id", app.id],
    ["version", app.version],
    ["available version", app.availableVersion],
    ["state", AppState[app.state]],
    ["health", HealthState[app.health]],
    ["api", app.apiUrl],
    ["entry", app.entryUrl],
    ["manifest digest", app.manifestDigest],
    ["certificate", app.certificateFingerprint],
    ["last error", app.lastError && `${app.lastError.code}: ${app.lastError.message}`],
  ]);
}

/** Formats fields, one per line. Fields without a value are left out. */
export function fieldLines(fields: readonly (readonly [name: string, value: string | undefined])[]): string {
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(18)} ${value}`])).join("\n");
}

export function appJson(app: App): unknown {
  return toJson(AppSchema, app);
}

/** The response to a command that changed an app. */
interface CommandResponse {
  readonly app?: App | undefined;
  readonly operation?: Operation | undefined;
}

/** Prints what a command that has ended has done. */
export function printResult(options: GlobalOptions, { app, operation }: CommandResponse, text: string): void {
  if (!operation) throw new Error("the response of the platform has no operation");
  if (options.json) printJson({ ...(app ? { app: appJson(app) } : {}), operation: operationJson(operation) });
  else print(text);
}

export function operationJson(operation: Operation): unknown {
  return toJson(OperationSchema, operation);
}

/** Prints lines on standard output, without what could change the terminal: a platform and its apps choose many texts. */
export function print(text: string): void {
  process.stdout.write(`${harmlessLines(text)}\n`);
}

/** Prints a value on standard output: to a pipe or a file as it is, to a terminal as {@link print}. */
export function printValue(text: string): void {
  if (process.stdout.isTTY) print(text);
  else process.stdout.write(`${text}\n`);
}

/** Prints lines on standard error, as {@link print}. */
export function note(text: string): void {
  process.stderr.write(`${harmlessLines(text)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${harmlessJson(value, 2)}\n`);
}

/** Prints a value as one line of JSON. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${harmlessJson(value)}\n`);
}

export function printWarnings(warnings: readonly (string | Problem)[]): void {
  for (const warning of warnings) note(`warning: ${typeof warning === "string" ? warning : warning.message}`);
}
