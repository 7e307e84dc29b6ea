import { readFile } from "node:fs/promises";
import type { GlobalOptions } from "../global-options.ts";
import { printResult } from "../output.ts";
import { connect } from "../platform.ts";
import { UsageError } from "../usage-error.ts";

/** Enables or disables an app. */
export async function setAppEnabled(options: GlobalOptions, name: string, enabled: boolean): Promise<void> {
  const response = await connect(options).marketplace.setAppEnabled({ name, enabled });
  printResult(options, response, `${name} is ${enabled ? "enabled" : "disabled"}`);
}

export async function restartApp(options: GlobalOptions, name: string): Promise<void> {
  printResult(options, await connect(options).marketplace.restartApp({ name }), `${name} restarts`);
}

export async function deleteApp(options: GlobalOptions, name: string): Promise<void> {
  printResult(options, await connect(options).marketplace.deleteApp({ name }), `${name} is deleted`);
}

/** Pins the certificate of a file, PEM or DER. */
export async function replaceKey(options: GlobalOptions, name: string, file: string): Promise<void> {
  const { marketplace } = connect(options);
  const response = await marketplace.replaceKey({ name, certificate: await readCertificate(file) });
  printResult(options, response, `${name} has the key of ${file}`);
}

/** Withdraws approvals of permissions. */
export async function revokePermissions(options: GlobalOptions, name: string, scopes: readonly string[]): Promise<void> {
  const response = await connect(options).marketplace.revokePermissions({ name, scopes: [...scopes] });
  printResult(options, response, `revoked ${scopes.join(", ")} from ${name}`);
}

async function readCertificate(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`could not read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
