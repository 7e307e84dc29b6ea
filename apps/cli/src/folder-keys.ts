import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type AppKeys, readAppKeys } from "@appserver/sdk";
import type { GlobalOptions } from "./global-options.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Returns the keys that APPSERVER_APP_KEY and APPSERVER_APP_CERTIFICATE have, which are written nowhere. Without both, reads those of the
 * folder. Throws {@link UsageError}, which never quotes them, if a text is invalid.
 */
export async function folderKeys({ appKeys }: Pick<GlobalOptions, "appKeys">, folder: string): Promise<AppKeys> {
  if (!appKeys) return await readAppKeys(folder);
  const missing = Object.entries(appKeys).find(([, text]) => text === "")?.[0];
  if (missing !== undefined)
    throw new UsageError(
      `APPSERVER_APP_${missing.toUpperCase()} is not set: an app needs APPSERVER_APP_KEY and APPSERVER_APP_CERTIFICATE`,
    );
  const privateKey = parsed("APPSERVER_APP_KEY", () => createPrivateKey(pemOf(appKeys.key)));
  const certificate = pemOf(appKeys.certificate);
  const x509 = parsed("APPSERVER_APP_CERTIFICATE", () => new X509Certificate(certificate));
  if (!matches(x509, privateKey))
    throw new UsageError("APPSERVER_APP_CERTIFICATE does not belong to the key of APPSERVER_APP_KEY");
  return { privateKey, certificate };
}

function parsed<T>(variable: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    // The cause may have parts of the text.
    throw new UsageError(`${variable} must be PEM, or PEM in base64 on one line`);
  }
}

function pemOf(text: string): string {
  return text.includes("-----BEGIN ") ? text : Buffer.from(text, "base64").toString("utf8");
}

function matches(certificate: X509Certificate, privateKey: KeyObject): boolean {
  return certificate.checkPrivateKey(privateKey);
}
