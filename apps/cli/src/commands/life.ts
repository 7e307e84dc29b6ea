import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { command } from "../client.ts";
import {
  DeleteAppDocument,
  ReplaceKeyDocument,
  RestartAppDocument,
  RevokePermissionsDocument,
  SetAppEnabledDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { printResult } from "../output.ts";
import { UsageError } from "../usage-error.ts";

/** Enables or disables an app. */
export async function setAppEnabled(options: GlobalOptions, name: string, enabled: boolean): Promise<void> {
  const result = await command(options, SetAppEnabledDocument, { name, enabled });
  printResult(options, result, `${name} is ${enabled ? "enabled" : "disabled"}`);
}

export async function restartApp(options: GlobalOptions, name: string): Promise<void> {
  printResult(options, await command(options, RestartAppDocument, { name }), `${name} restarts`);
}

export async function deleteApp(options: GlobalOptions, name: string): Promise<void> {
  printResult(options, await command(options, DeleteAppDocument, { name }), `${name} is deleted`);
}

/** Pins the certificate of a file, PEM or DER. */
export async function replaceKey(options: GlobalOptions, name: string, file: string): Promise<void> {
  const result = await command(options, ReplaceKeyDocument, { name, certificate: await readCertificate(file) });
  printResult(options, result, `${name} has the key of ${file}`);
}

/** Withdraws approvals of permissions. */
export async function revokePermissions(options: GlobalOptions, name: string, scopes: readonly string[]): Promise<void> {
  const result = await command(options, RevokePermissionsDocument, { name, scopes });
  printResult(options, result, `revoked ${scopes.join(", ")} from ${name}`);
}

/** Returns it as PEM. */
async function readCertificate(file: string): Promise<string> {
  try {
    return new X509Certificate(await readFile(file)).toString();
  } catch (error) {
    throw new UsageError(`could not read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
