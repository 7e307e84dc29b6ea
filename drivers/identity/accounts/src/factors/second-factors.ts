import type { SqlExecutor } from "@appserver/kernel/ports";
import type { FlowRequest } from "../flows/flow-request.ts";
import type { Attempts } from "../limits/attempts.ts";
import type { SignInMethod } from "../sessions/session-table.ts";
import { passkeyTable, type StoredPasskey } from "./passkey-table.ts";
import type { Passkeys } from "./passkeys.ts";
import { recoveryCodes } from "./recovery-codes.ts";
import type { Totp } from "./totp.ts";

export interface SecondFactorsDeps {
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  readonly attempts: Attempts;
}

/** The factors of a person, except the password. */
export interface FactorsOfPerson {
  readonly hasTotp: boolean;
  readonly passkeys: readonly StoredPasskey[];
  readonly recoveryCodeCount: number;
  /** Whether a sign-in by password asks for a second factor. */
  readonly isAsked: boolean;
}

/** A factor that a form contains. */
export interface GivenFactor {
  readonly method: Extract<SignInMethod, "totp" | "recovery_code" | "passkey">;
  /** Uses it up. Returns whether it was valid. */
  use(tx: SqlExecutor): Promise<boolean>;
  /** What is said if it was not. */
  readonly problem: string;
}

/** Of one person, from all networks: only a person who has given another factor gets so far. */
const limit = { limit: 10, windowMs: 3_600_000 };

/** Verifies second factors. */
export class SecondFactors {
  readonly #deps: SecondFactorsDeps;

  constructor(deps: SecondFactorsDeps) {
    this.#deps = deps;
  }

  async of(database: SqlExecutor, personId: string): Promise<FactorsOfPerson> {
    const { rows } = await database.query<{ hasTotp: boolean; recoveryCodeCount: number }>(
      `select exists (select from accounts.totp where person_id = $1) as "hasTotp",
         (select count(*) from accounts.recovery_codes where person_id = $1)::int as "recoveryCodeCount"`,
      [personId],
    );
    const { hasTotp = false, recoveryCodeCount = 0 } = rows[0] ?? {};
    const passkeys = await passkeyTable.list(database, personId);
    return { hasTotp, recoveryCodeCount, passkeys, isAsked: hasTotp || passkeys.length > 0 };
  }

  /**
   * Returns the factor of a form for a person. Counts the attempt, and throws RATE_LIMIT_EXCEEDED if there were too many. Undefined if the
   * form has none.
   */
  async given(request: FlowRequest, personId: string): Promise<GivenFactor | undefined> {
    const { totp, attempts } = this.#deps;
    const { fields } = request;
    const factor = fields.has("passkey") ? "passkey" : fields.get("method");
    if (factor !== "passkey" && factor !== "totp" && factor !== "lookup_secret") return undefined;
    await attempts.count([{ key: attemptsKey(personId), ...limit }]);
    if (factor === "passkey") return await this.#passkey(request, personId);
    if (factor === "totp") {
      const code = fields.get("totp_code") ?? "";
      const problem = "The code is wrong, or was used before.";
      return { method: "totp", problem, use: (tx) => totp.use(tx, personId, code) };
    }
    const code = fields.get("lookup_secret") ?? "";
    const problem = "This is none of your recovery codes, or it was used before.";
    return { method: "recovery_code", problem, use: (tx) => recoveryCodes.use(tx, personId, code) };
  }

  /** Forgets the attempts after a success. */
  async forgetAttempts(tx: SqlExecutor, personId: string): Promise<void> {
    await this.#deps.attempts.forget(tx, attemptsKey(personId));
  }

  async #passkey(request: FlowRequest, personId: string): Promise<GivenFactor> {
    const { passkeys } = this.#deps;
    const proof = await passkeys.prove(request);
    const isOwn = proof?.passkey.personId === personId;
    return { method: "passkey", problem: passkeyProblem, use: async (tx) => isOwn && (await passkeys.use(tx, proof)) };
  }
}

export const passkeyProblem = "The passkey was not accepted. Try again.";

function attemptsKey(personId: string): string {
  return `factor:${personId}`;
}
