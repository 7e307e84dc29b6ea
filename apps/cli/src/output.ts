import type { AppFragment, AppRowFragment, CommandResultFragment, ProblemFragment } from "./generated/operations.ts";
import type { GlobalOptions } from "./global-options.ts";
import { harmlessJson, harmlessLines } from "./harmless.ts";
import { renderTable } from "./table.ts";

/** Formats apps, one per line. */
export function appTable(apps: readonly AppRowFragment[]): string {
  return renderTable(
    ["NAME", "VERSION", "AVAILABLE", "STATE", "HEALTH"],
    apps.map((app) => [app.name, app.version, app.availableVersion ?? "-", stateText(app), app.health]),
  );
}

/** Formats one app, one field per line. */
export function appDetails(app: AppFragment): string {
  return fieldLines([
    ["name", app.name],
    ["display name", app.displayName],
    ["description", app.description],
    ["id", app.id],
    ["version", app.version],
    ["available version", app.availableVersion],
    ["state", stateText(app)],
    ["health", app.health],
    ["api", app.api?.publicUrl],
    ["entry", app.ui?.entryAsset.url],
    ["manifest digest", app.manifestDigest],
    ["certificate", app.certificateFingerprint],
    ["last error", app.lastError && problemText(app.lastError)],
  ]);
}

/** Returns the state of an app, and since when it is asleep. */
export function stateText({ state, asleepSince }: Pick<AppRowFragment, "state" | "asleepSince">): string {
  return asleepSince ? `${state}, asleep since ${asleepSince}` : state;
}

/** Formats fields, one per line. Fields without a value are left out. */
export function fieldLines(fields: readonly (readonly [name: string, value: string | null | undefined])[]): string {
  return fields.flatMap(([name, value]) => (value == null ? [] : [`${name.padEnd(18)} ${value}`])).join("\n");
}

export function problemText({ code, message }: Pick<ProblemFragment, "code" | "message">): string {
  return `${code}: ${message}`;
}

/** Prints what a command that has ended has done. */
export function printResult(options: GlobalOptions, { app, operation }: CommandResultFragment, text: string): void {
  if (options.json) printJson({ ...(app && { app }), operation });
  else print(text);
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

export function printWarnings(warnings: readonly (string | Pick<ProblemFragment, "message">)[]): void {
  for (const warning of warnings) note(`warning: ${typeof warning === "string" ? warning : warning.message}`);
}
