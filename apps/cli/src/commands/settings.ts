import { readFile } from "node:fs/promises";
import { buffer as readAll } from "node:stream/consumers";
import { type SettingItem, type SettingTypeName, settingForms } from "@appserver/contracts/settings/items";
import { accepted, ask, found } from "../client.ts";
import {
  AppIdDocument,
  DeleteSettingsDocument,
  SettingsDocument,
  type SettingsFragment,
  UpdateSettingsDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { parseJsonArgument } from "../json-argument.ts";
import { note, print, printJson, printValue } from "../output.ts";
import { renderTable } from "../table.ts";
import { UsageError } from "../usage-error.ts";

/** A definition as the manifest has it (docs/interface/settings.md#declaration). */
export interface SettingDefinition {
  readonly key: string;
  readonly data_type: SettingTypeName;
  readonly description: string;
  readonly sensitive: boolean;
}

interface AppSettings extends SettingsFragment {
  readonly values: Readonly<Record<string, unknown>>;
  readonly schema: { readonly definitions: readonly SettingDefinition[] };
}

/** A key and its value, as written on the command line: `page.size=20`. */
export type Assignment = string;

/** Printed instead of a secret that is set. */
const mask = "********";

/** `appctl settings list <app>`. Secrets are masked unless `showSecrets`: terminals are shared, recorded and scrolled back. */
export async function listSettings(options: GlobalOptions, appName: string, showSecrets: boolean): Promise<void> {
  const settings = await settingsOf(options, appName);
  show(options, showSecrets ? settings : masked(settings));
}

/** `appctl settings get <app> <key>`. A secret is masked unless `showSecrets`. */
export async function getSetting(options: GlobalOptions, appName: string, key: string, showSecrets: boolean): Promise<void> {
  const settings = await settingsOf(options, appName);
  const { sensitive } = definitionOf(settings, key);
  const value = (showSecrets ? settings : masked(settings)).values[key];
  if (sensitive && !showSecrets && value !== undefined) note(`${key} is a secret; --show-secrets prints its value`);
  if (options.json) printJson(value ?? null);
  else printValue(value === undefined ? "" : shown(value));
}

/** `appctl settings set <app> <key=value...>`. The value `@file` means the file's contents, `-` means stdin. */
export async function setSettings(
  options: GlobalOptions,
  appName: string,
  assignments: readonly Assignment[],
  version: number | undefined,
): Promise<void> {
  const current = await settingsOf(options, appName);
  const values: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const [, key = "", given = ""] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (key === "") throw new UsageError(`expected key=value, got ${JSON.stringify(assignment.slice(0, 40))}`);
    values[key] = parseValue(definitionOf(current, key), await contentsOf(key, given));
  }
  await update(options, current.appId, values, version);
}

/** `appctl settings unset <app> <key...>`: restores defaults. */
export async function unsetSettings(
  options: GlobalOptions,
  appName: string,
  keys: readonly string[],
  version: number | undefined,
): Promise<void> {
  const values = Object.fromEntries(keys.map((key) => [key, null]));
  await update(options, await idOf(options, appName), values, version);
}

/** `appctl settings delete <app>`: deletes all stored values. */
export async function deleteSettings(options: GlobalOptions, appName: string, version: number | undefined): Promise<void> {
  const variables = { appID: await idOf(options, appName), expectedVersion: version };
  accepted((await ask(options, DeleteSettingsDocument, variables)).deleteSettings);
  if (options.json) printJson({ deleted: appName });
  else print(`the settings of ${appName} are deleted; defaults apply`);
}

/** Returns the settings with every secret masked that is set. */
function masked<S extends Pick<AppSettings, "values" | "schema">>(settings: S): S {
  const values = { ...settings.values };
  for (const { key, sensitive } of settings.schema.definitions)
    if (sensitive && values[key] !== undefined && values[key] !== null) values[key] = mask;
  return { ...settings, values };
}

async function update(
  options: GlobalOptions,
  appID: string,
  values: Readonly<Record<string, unknown>>,
  expectedVersion: number | undefined,
): Promise<void> {
  const variables = { appID, settings: values, expectedVersion };
  const { settings } = accepted((await ask(options, UpdateSettingsDocument, variables)).updateSettings);
  if (!settings) throw new Error("the response of the platform has no settings");
  if (options.json) printJson(masked(settings as AppSettings));
  else print(`version ${settings.version}`);
}

async function idOf(options: GlobalOptions, name: string): Promise<string> {
  return found((await ask(options, AppIdDocument, { name })).app, `app ${name}`).id;
}

async function settingsOf(options: GlobalOptions, appName: string): Promise<AppSettings> {
  const { settings } = await ask(options, SettingsDocument, { appID: await idOf(options, appName) });
  return found(settings, `app ${appName}`) as AppSettings;
}

function definitionOf({ schema: { definitions } }: AppSettings, key: string): SettingDefinition {
  const definition = definitions.find((candidate) => candidate.key === key);
  if (definition) return definition;
  const keys = definitions.map((candidate) => candidate.key).join(", ");
  throw new UsageError(`${JSON.stringify(key)} is not a setting of the app; it has ${keys}`);
}

/**
 * Reads a value from the argument, a file or stdin, and changes nothing of it. A secret in an argument would appear in shell history and
 * process list.
 */
async function contentsOf(key: string, given: string): Promise<string> {
  if (given !== "-" && !given.startsWith("@")) return given;
  const [source, bytes] =
    given === "-" ? ["standard input", await readAll(process.stdin)] : await contentsOfFile(given.slice(1));
  const text = textOf(bytes);
  if (text === undefined) throw new UsageError(`${key}: ${source} is not text in UTF-8`);
  // A key or a certificate must keep it. For a password it is a mistake.
  if (/^[^\n]*\n$/.test(text)) note(`${key} ends with a line break, as ${source} does; \`printf %s\` writes none`);
  return text;
}

async function contentsOfFile(file: string): Promise<readonly [source: string, bytes: Uint8Array]> {
  try {
    return [file, await readFile(file)];
  } catch (error) {
    throw new UsageError(`could not read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns undefined for bytes that are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses a value: string settings use the text unchanged, all others are JSON. */
export function parseValue({ key, data_type: dataType }: SettingDefinition, given: string): unknown {
  const { item, isArray } = settingForms[dataType];
  if (item === "STRING" && !isArray) return given;
  const example = isArray ? arrayExamples[item] : examples[item];
  const notJson = () => `${key} is ${dataType}: its value must be JSON, as in ${key}=${example}`;
  const value: unknown = parseJsonArgument(given, key, notJson);
  if (value === null) throw new UsageError(`null is not a value; use appctl settings unset to restore the default of ${key}`);
  return value;
}

const examples: Readonly<Record<SettingItem, string>> = {
  STRING: "text",
  INT: "42",
  FLOAT: "4.2",
  BOOL: "true",
  JSON: `'{"a":1}'`,
  KVPAIR: `'{"key":"a","value":1}'`,
};

const arrayExamples: Readonly<Record<SettingItem, string>> = {
  STRING: `'["a","b"]'`,
  INT: "'[1,2]'",
  FLOAT: "'[1.5,2]'",
  BOOL: "'[true,false]'",
  JSON: `'[{"a":1}]'`,
  KVPAIR: `'[{"key":"a","value":1}]'`,
};

function show(options: GlobalOptions, settings: AppSettings): void {
  if (options.json) {
    printJson(settings);
    return;
  }
  const rows = settings.schema.definitions.map(({ key, data_type: dataType, description, sensitive }) => {
    const value = settings.values[key];
    const type = `${dataType}${sensitive ? " (secret)" : ""}`;
    return [key, type, value === undefined ? "-" : shown(value), description];
  });
  print(renderTable(["KEY", "TYPE", "VALUE", "DESCRIPTION"], rows));
  print(`version ${settings.version}${settings.updatedBy == null ? "" : `, by ${settings.updatedBy}`}`);
  for (const { message } of settings.conditions) note(`warning: ${message}`);
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
