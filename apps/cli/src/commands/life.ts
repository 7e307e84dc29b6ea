import { readFile } from "node:fs/promises";
import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import type { App } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { appJson, print, printJson } from "../output.ts";
import { connect, type GlobalOptions } from "../platform.ts";
import { UsageError } from "../usage-error.ts";

/** Enables or disables an app. */
export async function setAppEnabled(options: GlobalOptions, name: string, enabled: boolean): Promise<void> {
  const { app } = await connect(options).marketplace.setAppEnabled({ name, enabled });
  show(options, app, `${name} is ${enabled ? "enabled" : "disabled"}`);
}

export async function restartApp(options: GlobalOptions, name: string): Promise<void> {
  const { app } = await connect(options).marketplace.restartApp({ name });
  show(options, app, `${name} restarts`);
}

export async function deleteApp(options: GlobalOptions, name: string): Promise<void> {
  const { id } = await connect(options).marketplace.deleteApp({ name });
  if (options.json) printJson({ name, id });
  else print(`${name} is deleted`);
}

/** Pins the certificate of a file, PEM or DER. */
export async function replaceKey(options: GlobalOptions, name: string, file: string): Promise<void> {
  const { marketplace } = connect(options);
  const { app } = await marketplace.replaceKey({ name, certificate: await readCertificate(file) });
  show(options, app, `${name} has the key of ${file}`);
}

/** Withdraws approvals of permissions. */
export async function revokePermissions(options: GlobalOptions, name: string, scopes: readonly string[]): Promise<void> {
  const { app } = await connect(options).marketplace.revokePermissions({ name, scopes: [...scopes] });
  show(options, app, `revoked ${scopes.join(", ")} from ${name}`);
}

function show(options: GlobalOptions, app: App | undefined, text: string): void {
  if (!app) throw new Error("the response of the platform has no app");
  if (options.json) printJson({ app: appJson(app) });
  else print(`${text} (state ${AppState[app.state]})`);
}

async function readCertificate(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`could not read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
