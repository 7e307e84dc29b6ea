import { BadRequestSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { placeRefused } from "@appserver/sdk";
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

  /** What the platform refuses of the manifest of a folder, each with its line. Empty if the reason is another one. */
  readonly problems: readonly string[];

  private constructor(refusal: ConnectError, hints: readonly string[], problems: readonly string[]) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.hints = hints;
    this.problems = problems;
  }

  /** Rejects with a RegistrationRefusal if the call is refused. `folder`: what has the manifest, if one has it. */
  static async of<Response>(call: Promise<Response>, hints: readonly string[], folder?: string): Promise<Response> {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      const fields = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
      const refused = fields.map(({ field, description }) => ({ field, message: description }));
      const problems = folder === undefined || refused.length === 0 ? [] : await placeRefused(folder, refused);
      throw new RegistrationRefusal(error, hints, problems);
    }
  }
}
