import { registrationTokenHeader, unprovenMessageBytes } from "@appserver/contracts/signature";
import { AppError, type Caller, hasAccount } from "@appserver/kernel";
import { type AccessMode, admit } from "./access-mode.ts";

/** Who makes a call, and how much of its message may be read (docs/interface/grpc.md#callers, ADR 0025). */
export interface CallAdmission {
  readonly caller: Caller;
  /** Whether the caller has proved who it is, or that it may register. */
  readonly isProven: boolean;
  readonly maxMessageBytes: number;
}

const mebibyte = 1024 * 1024;
/** Maximum sizes of messages: users send names and settings, apps results of activities, developers whole manifests. */
export const messageBytes = {
  unproven: unprovenMessageBytes,
  user: 4 * mebibyte,
  app: 16 * mebibyte,
  registration: 64 * mebibyte,
} as const;

/** Refuses anonymous callers before their message is read. Throws AUTHENTICATION_REQUIRED. */
export function admitCall(sender: Caller, mode: AccessMode): CallAdmission {
  const caller = admit(sender, mode);
  const isProven = sender.kind !== "anonymous";
  if (isProven) return { caller, isProven, maxMessageBytes: hasAccount(caller) ? messageBytes.user : messageBytes.app };
  // In mode `off` an anonymous caller is an administrator of a machine that only local clients reach.
  return { caller, isProven, maxMessageBytes: mode === "off" ? messageBytes.app : messageBytes.unproven };
}

export interface Registrant {
  readonly caller: Caller;
  /** Whether every caller may register apps. */
  readonly isOpen: boolean;
  /** Whether the registration token of the call is the right one. Undefined if it has none. */
  readonly hasToken: boolean | undefined;
  /** Whether the call only validates a manifest, on a platform that requires credentials. */
  readonly needsCredentials: boolean;
}

/**
 * Admits the caller of a registration. An open platform does not raise it to an administrator, because that would bypass the
 * pinning of keys. Checks the token first, then the session. Without both, only a small message is read, which must
 * contain the token or a trusted certificate. Throws AUTHENTICATION_FAILED and AUTHENTICATION_REQUIRED.
 */
export function admitRegistrant({ caller, isOpen, hasToken, needsCredentials }: Registrant): CallAdmission {
  if (isOpen) return { caller, isProven: false, maxMessageBytes: messageBytes.registration };
  if (hasToken === false) throw new AppError("AUTHENTICATION_FAILED", "the registration token is not valid");
  if (hasToken) return { caller, isProven: true, maxMessageBytes: messageBytes.registration };
  if (caller.kind !== "anonymous") return { caller, isProven: true, maxMessageBytes: messageBytes.user };
  if (needsCredentials) {
    const expected = `a session, or the registration token as ${registrationTokenHeader}, is needed here`;
    throw new AppError("AUTHENTICATION_REQUIRED", expected);
  }
  return { caller, isProven: false, maxMessageBytes: messageBytes.unproven };
}
