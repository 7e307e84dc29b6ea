import { ConnectError } from "@connectrpc/connect";
import type { GlobalOptions } from "./global-options.ts";

export const sessionHint = "`appctl login` signs in, and APPSERVER_TOKEN or --token sets the session token of a user";
export const registrationHint = "APPSERVER_REGISTRATION_TOKEN or --registration-token sets the registration token";

/** Returns what a caller without a session or without the registration token can give, if a call that takes both is refused. */
export function registrationHints({ token }: Pick<GlobalOptions, "token">, registrationToken: string | undefined): string[] {
  return [...(token === undefined ? [sessionHint] : []), ...(registrationToken === undefined ? [registrationHint] : [])];
}

/** A refusal of a call that takes the registration token. */
export class RegistrationRefusal extends Error {
  override readonly name = "RegistrationRefusal";
  readonly refusal: ConnectError;
  /** Where to give the credentials that the call takes and did not have. */
  readonly hints: readonly string[];

  private constructor(refusal: ConnectError, hints: readonly string[]) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.hints = hints;
  }

  /** Rejects with a RegistrationRefusal if the call is refused. */
  static async of<Response>(call: Promise<Response>, hints: readonly string[]): Promise<Response> {
    try {
      return await call;
    } catch (error) {
      throw error instanceof ConnectError ? new RegistrationRefusal(error, hints) : error;
    }
  }
}
