import { readFile } from "node:fs/promises";
import { buffer as readAll } from "node:stream/consumers";
import {
  type AppSettings,
  AppSettingsSchema,
  SettingDataType,
  type SettingDefinition,
} from "@appserver/contracts/proto/appserver/v2/settings";
import type { PlatformClient } from "@appserver/sdk";
import { type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { GlobalOptions } from "../global-options.ts";
import { parseJsonArgument } from "../json-argument.ts";
import { note, print, printJson, printValue } from "../output.ts";
import { connect } from "../platform.ts";
import { renderTable } from "../table.ts";
import { UsageError } from "../usage-error.ts";

/** A key and its value, as written on the command line: `page.size=20`. */
export type Assignment = string;

/** Printed instead of a secret that is set. */
const mask = "********";

/** `appctl settings list <app>`. Secrets are masked unless `showSecrets`: terminals are shared, recorded and scrolled back. */
export async function listSettings(options: GlobalOptions, appName: string, showSecrets: boolean): Promise<void> {
  const platform = connect(options);
  const settings = await settingsOf(platform, await idOf(platform, appName));
  show(options, showSecrets ? settings : masked(settings));
}

/** `appctl settings get <app> <key>`. A secret is masked unless `showSecrets`. */
export async function getSetting(options: GlobalOptions, appName: string, key: string, showSecrets: boolean): Promise<void> {
  const platform = connect(options);
  const settings = await settingsOf(platform, await idOf(platform, appName));
  const { sensitive } = definitionOf(settings, key);
  const value = (showSecrets ? settings : masked(settings)).values?.[key];
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
  const platform = connect(options);
  const appId = await idOf(platform, appName);
  const current = await settingsOf(platform, appId);
  const values: JsonObject = {};
  for (const assignment of assignments) {
    const [, key = "", given = ""] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (key === "") throw new UsageError(`expected key=value, got ${JSON.stringify(assignment.slice(0, 40))}`);
    values[key] = parseValue(definitionOf(current, key), await contentsOf(key, given));
  }
  await update(options, platform, appId, values, version);
}

/** `appctl settings unset <app> <key...>`: restores defaults. */
export async function unsetSettings(
  options: GlobalOptions,
  appName: string,
  keys: readonly string[],
  version: number | undefined,
): Promise<void> {
  const platform = connect(options);
  const values = Object.fromEntries(keys.map((key) => [key, null]));
  await update(options, platform, await idOf(platform, appName), values, version);
}

/** `appctl settings delete <app>`: deletes all stored values. */
export async function deleteSettings(options: GlobalOptions, appName: string, version: number | undefined): Promise<void> {
  const platform = connect(options);
  await platform.settings.deleteSettings({ appId: await idOf(platform, appName), ...expected(version) });
  if (options.json) printJson({ deleted: appName });
  else print(`the settings of ${appName} are deleted; defaults apply`);
}

/** Returns the settings with every secret masked that is set. */
function masked(settings: AppSettings): AppSettings {
  const values = { ...settings.values };
  for (const { key, sensitive } of settings.schema?.definitions ?? [])
    if (sensitive && values[key] !== undefined && values[key] !== null) values[key] = mask;
  return { ...settings, values };
}

async function update(
  options: GlobalOptions,
  platform: PlatformClient,
  appId: string,
  values: JsonObject,
  version: number | undefined,
): Promise<void> {
  const { settings } = await platform.settings.updateSettings({ appId, values, ...expected(version) });
  if (!settings) throw new Error("the response of the platform has no settings");
  if (options.json) printJson(toJson(AppSettingsSchema, masked(settings)));
  else print(`version ${settings.version}`);
}

async function idOf(platform: PlatformClient, appName: string): Promise<string> {
  const { app } = await platform.marketplace.getApp({ name: appName });
  if (!app) throw new Error("the response of the platform has no app");
  return app.id;
}

async function settingsOf(platform: PlatformClient, appId: string): Promise<AppSettings> {
  const { settings } = await platform.settings.getSettings({ appId });
  if (!settings) throw new Error("the response of the platform has no settings");
  return settings;
}

function definitionOf({ schema }: AppSettings, key: string): SettingDefinition {
  const definitions = schema?.definitions ?? [];
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
function parseValue({ key, dataType }: SettingDefinition, given: string): JsonValue {
  if (dataType === SettingDataType.STRING || dataType === SettingDataType.STRING_REQUIRED) return given;
  const notJson = () => `${key} is ${SettingDataType[dataType]}: its value must be JSON, as in ${key}=${examples(dataType)}`;
  const value = parseJsonArgument(given, key, notJson) as JsonValue;
  if (value === null) throw new UsageError(`null is not a value; use appctl settings unset to restore the default of ${key}`);
  return value;
}

function examples(type: SettingDataType): string {
  const name = SettingDataType[type];
  if (name.endsWith("ARRAY")) return name.startsWith("KVPAIR") ? `'[{"key":"a","value":1}]'` : `'[…]'`;
  if (name.startsWith("JSON")) return `'{"a":1}'`;
  return name.startsWith("BOOL") ? "true" : "42";
}

function show(options: GlobalOptions, settings: AppSettings): void {
  if (options.json) {
    printJson(toJson(AppSettingsSchema, settings));
    return;
  }
  const rows = (settings.schema?.definitions ?? []).map(({ key, dataType, description, sensitive }) => {
    const value = settings.values?.[key];
    const type = `${SettingDataType[dataType]}${sensitive ? " (secret)" : ""}`;
    return [key, type, value === undefined ? "-" : shown(value), description];
  });
  print(renderTable(["KEY", "TYPE", "VALUE", "DESCRIPTION"], rows));
  print(`version ${settings.version}${settings.updatedBy === "" ? "" : `, by ${settings.updatedBy}`}`);
  for (const { message } of settings.conditions) note(`warning: ${message}`);
}

function shown(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function expected(version: number | undefined): { readonly expectedVersion?: bigint } {
  return version === undefined ? {} : { expectedVersion: BigInt(version) };
}
