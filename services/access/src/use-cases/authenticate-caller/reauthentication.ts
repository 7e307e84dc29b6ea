import type { KeyObject } from "node:crypto";
import type { Caller, Clock, MachineCaller, MaybePromise } from "@appserver/kernel";
import { Rejection } from "@appserver/kernel";
import { refuseDisabled } from "../../domain/disabled-app.ts";
import type { AppKey, AppKeys } from "../../ports.ts";
import { validKeys } from "./valid-keys.ts";

/**
 * Checks whether the caller of a long-lived connection would still be accepted. Throws or rejects with AUTHENTICATION_FAILED if
 * not, with PERMISSION_DENIED if the app is disabled, and with SERVICE_UNAVAILABLE if the check is not possible.
 */
export type Reauthentication = () => MaybePromise<void>;

export interface ReauthenticationDeps {
  readonly apps: Pick<AppKeys, "find">;
  readonly clock: Clock;
  /** The key that the caller signed its first request with. Undefined: the key of the app's certificate. */
  readonly signedWith?: KeyObject | undefined;
  /** Authenticates the first request again. */
  readonly authenticate: () => MaybePromise<Caller>;
}

/**
 * Returns the check for a caller. A user is accepted while the session exists and belongs to the same user, a
 * service account while its token is valid. An app is accepted
 * while it is installed and has the key that it signed with. Its signature is not verified again, because it was valid only for minutes.
 */
export function reauthenticationOf(caller: Caller, deps: ReauthenticationDeps): Reauthentication {
  if (caller.kind === "app") return reauthenticationOfApp(caller.name, deps);
  if (caller.kind === "machine") return async () => requireSameToken(caller, await deps.authenticate());
  if (caller.kind !== "user") return () => {};
  return async () => {
    const now = await deps.authenticate();
    if (now.kind !== "user" || now.id !== caller.id) {
      throw new Rejection("AUTHENTICATION_FAILED", "session_invalid", "The session is another user's now.");
    }
  };
}

function requireSameToken({ tokenId }: MachineCaller, now: Caller): void {
  if (now.kind === "machine" && now.tokenId === tokenId) return;
  throw new Rejection("AUTHENTICATION_FAILED", "token_invalid", "The token is not the one of the first request.");
}

function reauthenticationOfApp(name: string, { apps, clock, signedWith }: ReauthenticationDeps): Reauthentication {
  let first: AppKey | undefined;
  const find = async (): Promise<AppKey> => {
    const key = await apps.find(name);
    if (!key) throw new Rejection("AUTHENTICATION_FAILED", "signature_invalid", "The app is not installed any more.");
    return key;
  };
  // Read the key now, not at the first check, so that a key replaced in between is detected.
  const known = find().then(
    (key) => {
      first = key;
    },
    () => {},
  );
  return async () => {
    await known;
    const now = await find();
    first ??= now;
    const key = signedWith ?? first.key;
    if (now.id !== first.id || !keysOf(now).some((other) => key.equals(other))) {
      throw new Rejection("AUTHENTICATION_FAILED", "signature_invalid", "The app has another key now.");
    }
    if (!validKeys(now, clock.now()).some((valid) => key.equals(valid))) {
      throw new Rejection("AUTHENTICATION_FAILED", "signature_invalid", "The app's certificate has expired.");
    }
    refuseDisabled(name, now);
  };
}

function keysOf({ key, workloadKeys = [] }: AppKey): readonly KeyObject[] {
  return [key, ...workloadKeys.map((workload) => workload.key)];
}
