import type { KeyObject } from "node:crypto";
import { AppError, type Caller, type Clock } from "@appserver/kernel";
import { refuseDisabled } from "../../domain/disabled-app.ts";
import type { AppKeys } from "../../ports.ts";
import { validKeys } from "./valid-keys.ts";

export interface AppCertificatesDeps {
  readonly apps: Pick<AppKeys, "find">;
  readonly clock: Clock;
}

/**
 * Returns the app if `publicKey` is its registered key or that of a running deployment, and its certificate is valid now. Rejects with
 * AUTHENTICATION_FAILED otherwise, and with PERMISSION_DENIED if the app is disabled.
 */
export async function appOfCertificate(
  { apps, clock }: AppCertificatesDeps,
  appName: string,
  publicKey: KeyObject,
): Promise<Caller> {
  const known = await apps.find(appName);
  const isItsOwn = known && validKeys(known, clock.now()).some((key) => key.equals(publicKey));
  if (!known || !isItsOwn) throw new AppError("AUTHENTICATION_FAILED", "the client certificate is not the app's");
  refuseDisabled(appName, known);
  return { kind: "app", name: appName, id: known.id };
}
