import { createPrivateKey } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { SearchedTexts } from "@appserver/testing/kit";
import { partsOf } from "./secret-settings.ts";

/** What the platform makes for one deployment and gives to its container alone (docs/interface/containers.md#identity). */
export interface DeploymentSecrets {
  /** Of the login at the app's own database. */
  readonly password: string;
  /** The text of `forward-secret`. */
  readonly forwardSecret: string;
  /** The text of `key.pem`. */
  readonly privateKey: string;
}

/** Returns the secrets, from the environment of the container and the files of its identity. */
export function deploymentSecrets(
  environment: readonly string[],
  files: Readonly<Record<string, { readonly text: string }>>,
): DeploymentSecrets {
  const password = environment.find((line) => line.startsWith("DB_PASSWORD="))?.slice("DB_PASSWORD=".length) ?? "";
  const text = (name: string): string => files[name]?.text.trim() ?? "";
  const secrets = { password, forwardSecret: text("forward-secret"), privateKey: text("key.pem") };
  for (const [name, value] of Object.entries(secrets)) if (value.length < 16) throw new Error(`the deployment has no ${name}`);
  return secrets;
}

/**
 * Returns the search terms: each secret, its beginning and its bytes; and of the private key a line of its file and its exponent,
 * because a leak may have another format.
 */
export function termsOf({ password, forwardSecret, privateKey }: DeploymentSecrets): readonly string[] {
  const { d: exponent = "" } = createPrivateKey(privateKey).export({ format: "jwk" });
  const lines = privateKey.split("\n");
  return [
    ...partsOf(password),
    ...partsOf(forwardSecret),
    ...formsOfBytes(Buffer.from(forwardSecret, "base64")),
    lines[Math.floor(lines.length / 2)] ?? "",
    exponent.slice(0, 40),
    ...formsOfBytes(Buffer.from(exponent, "base64url").subarray(0, 32)),
  ];
}

/** In hex, in both alphabets of base64, and plain. `findCanary` searches bytes as Latin-1. */
function formsOfBytes(bytes: Buffer): readonly string[] {
  return (["hex", "base64url", "latin1"] as const).map((encoding) => bytes.toString(encoding));
}

/** Command line and environment of each process that this account can read, by its id and the app that it runs, if any. */
export function processPlaces(): SearchedTexts {
  const places: Record<string, string> = {};
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${id}/environ`, "utf8").replaceAll("\0", "\n");
      const [, app] = /^APP_NAME=(.*)$/m.exec(environment) ?? [];
      const command = readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
      places[app === undefined ? `process ${id} ${command}` : `app-process ${app} ${id}`] = `${command}\n${environment}`;
    } catch {
      // It has ended, or belongs to another account.
    }
  }
  return places;
}
