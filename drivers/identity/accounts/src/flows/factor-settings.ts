import type { FlowNode } from "@appserver/contracts/sign-in";
import type { Clock } from "@appserver/kernel";
import { DatabaseError, type SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { SealedState } from "../browser/sealed-state.ts";
import { passkeyTable } from "../factors/passkey-table.ts";
import type { Passkeys } from "../factors/passkeys.ts";
import { recoveryCodes } from "../factors/recovery-codes.ts";
import { relyingPartyOf } from "../factors/relying-party.ts";
import { passkeyProblem, type SecondFactors } from "../factors/second-factors.ts";
import type { Totp } from "../factors/totp.ts";
import type { ProviderSignIn } from "../oidc/provider-sign-in.ts";
import { personTable } from "../people/person-table.ts";
import { hasOtherWayIn } from "../people/ways-in.ts";
import type { SessionTable, StoredSession } from "../sessions/session-table.ts";
import { creationNodes, factorNodes, type ShownFactors, totpSetupNodes } from "./factor-settings-nodes.ts";
import type { FlowRequest } from "./flow-request.ts";

export interface FactorSettingsDeps {
  readonly database: AccountsDatabase;
  readonly sessions: SessionTable;
  readonly factors: SecondFactors;
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  readonly providers: ProviderSignIn;
  readonly key: () => Promise<Uint8Array>;
  readonly clock: Clock;
}

/** What a button of a factor has done. */
export type FactorOutcome =
  | { readonly kind: "saved"; readonly message: string; readonly shown?: ShownFactors }
  | { readonly kind: "asked"; readonly shown: ShownFactors }
  | { readonly kind: "failed"; readonly message: string; readonly shown?: ShownFactors }
  /** The session has ended since the request began. */
  | { readonly kind: "signed out" };

interface Pressed {
  readonly request: FlowRequest;
  readonly session: StoredSession;
}

interface Action {
  /** The form itself shows that the person has proven who they are: it works for 10 minutes, in one session. */
  readonly isProof?: boolean;
  readonly run: (pressed: Pressed) => Promise<FactorOutcome>;
}

const validMs = 600_000;
const maxPasskeys = 20;
const othersEnded = "All other sessions have ended.";
const notHere = {
  kind: "failed",
  message: "Passkeys cannot be used at this address. Open the platform by its name, with https.",
} as const;
const expired = "That took too long, or began in another session. Try again.";

/** What people change of their second factors and passkeys. Each change ends all other sessions, as a new password does. */
export class FactorSettings {
  readonly #deps: FactorSettingsDeps;
  readonly #setups: SealedState<{ readonly secret: string; readonly sessionId: string }>;

  constructor(deps: FactorSettingsDeps) {
    this.#deps = deps;
    const { key, clock } = deps;
    this.#setups = new SealedState({ purpose: "setup of an authenticator app", validMs, key, clock });
  }

  /** Returns what the pressed button of a form does. Undefined if it is not one of a factor. */
  actionOf(fields: URLSearchParams): Action | undefined {
    if (fields.has("totp_setup")) return { run: (pressed) => this.#askForCode(pressed) };
    if (fields.get("method") === "totp") return { isProof: true, run: (pressed) => this.#setTotp(pressed) };
    if (fields.has("totp_unlink")) return { run: (pressed) => this.#removeTotp(pressed) };
    if (fields.has("recovery_codes_renew")) return { run: (pressed) => this.#renewCodes(pressed) };
    if (fields.has("passkey_add")) return { run: (pressed) => this.#askForPasskey(pressed) };
    if (fields.has("passkey")) return { isProof: true, run: (pressed) => this.#addPasskey(pressed) };
    return fields.has("passkey_remove") ? { run: (pressed) => this.#removePasskey(pressed) } : undefined;
  }

  /** Returns the parts of the form for factors. */
  async nodes({ origin }: FlowRequest, personId: string, shown: ShownFactors): Promise<readonly FlowNode[]> {
    const own = await this.#deps.factors.of(this.#deps.database, personId);
    return factorNodes(own, relyingPartyOf(origin) !== undefined, shown);
  }

  async #askForCode({ session }: Pressed): Promise<FactorOutcome> {
    const secret = this.#deps.totp.newSecret();
    const setup = await this.#setups.seal({ secret, sessionId: session.id });
    return { kind: "asked", shown: { totp: await this.#setupNodes(session, secret, setup) } };
  }

  async #setTotp({ request: { fields }, session }: Pressed): Promise<FactorOutcome> {
    const setup = fields.get("totp_setup_state") ?? "";
    const known = await this.#setups.open(setup);
    if (known?.sessionId !== session.id) return { kind: "failed", message: expired };
    const { secret } = known;
    const set = (tx: SqlExecutor) => this.#deps.totp.set(tx, session.personId, secret, fields.get("totp_code") ?? "");
    const message = `The authenticator app is set up. From now on the sign-in asks for a code after the password. ${othersEnded}`;
    const outcome = await this.#change(session, set, { message, makesCodes: true });
    if (outcome) return outcome;
    const problem = "The code is wrong. The clocks of the app and of this platform must agree.";
    return { kind: "failed", message: problem, shown: { totp: await this.#setupNodes(session, secret, setup, problem) } };
  }

  async #removeTotp({ session }: Pressed): Promise<FactorOutcome> {
    const message = `The authenticator app was removed. ${othersEnded}`;
    const removed = await this.#change(session, (tx) => this.#deps.totp.remove(tx, session.personId), { message });
    return removed ?? { kind: "failed", message: "There is no authenticator app." };
  }

  async #renewCodes({ session }: Pressed): Promise<FactorOutcome> {
    const { database, factors } = this.#deps;
    const { isAsked } = await factors.of(database, session.personId);
    if (!isAsked) return { kind: "failed", message: "Recovery codes replace a second factor. Set one up first." };
    const message = `You have new recovery codes. The earlier ones no longer work. ${othersEnded}`;
    const renewed = await this.#change(session, async () => true, { message, makesCodes: true, renews: true });
    return renewed ?? { kind: "signed out" };
  }

  async #askForPasskey({ request: { origin, device }, session }: Pressed): Promise<FactorOutcome> {
    const party = relyingPartyOf(origin);
    if (!party) return notHere;
    const { id: sessionId, personId } = session;
    const { passkeys } = await this.#deps.factors.of(this.#deps.database, personId);
    if (passkeys.length >= maxPasskeys)
      return { kind: "failed", message: "Remove a passkey first: these are the most that you can have." };
    const { name, email } = await personTable.profile(this.#deps.database, personId);
    const owner = { personId, sessionId, name, account: email || name };
    return {
      kind: "asked",
      shown: { passkey: creationNodes(await this.#deps.passkeys.creationOptions(party, owner), device) },
    };
  }

  async #addPasskey({ request: { origin, fields, device }, session }: Pressed): Promise<FactorOutcome> {
    const party = relyingPartyOf(origin);
    if (!party) return notHere;
    const [response, setup] = [fields.get("passkey") ?? "", fields.get("passkey_setup_state")];
    const created = await this.#deps.passkeys.created(party, response, setup, session.id);
    const refused = { kind: "failed", message: passkeyProblem } as const;
    if (!created) return refused;
    const name = nameOf(fields.get("passkey_name") ?? "") || device;
    const add = async (tx: SqlExecutor) => {
      if (!(await passkeyTable.useChallenge(tx, created.challenge))) return false;
      await passkeyTable.add(tx, { ...created, personId: session.personId, name });
      return true;
    };
    const message = `The passkey was added. From now on the sign-in by password asks for it, or for another second factor. ${othersEnded}`;
    try {
      return (await this.#change(session, add, { message, makesCodes: true })) ?? refused;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.reason === "unique_violation")) throw error;
      return { kind: "failed", message: "This passkey was added already." };
    }
  }

  async #removePasskey({ request: { origin, fields }, session }: Pressed): Promise<FactorOutcome> {
    const { providers } = this.#deps;
    const passkey = fields.get("passkey_remove") ?? "";
    let isLast = false;
    const remove = async (tx: SqlExecutor) => {
      const ways = { providers: providers.names.map(([id]) => id), rpId: relyingPartyOf(origin)?.id, without: { passkey } };
      isLast = !(await hasOtherWayIn(tx, session.personId, ways));
      return !isLast && (await passkeyTable.remove(tx, session.personId, passkey));
    };
    const message = `The passkey was removed. Delete it from your device, too. ${othersEnded}`;
    const removed = await this.#change(session, remove, { message });
    const problem = isLast ? "This is your only way to sign in. Add another one first." : "There is no such passkey.";
    return removed ?? { kind: "failed", message: problem };
  }

  /**
   * Changes a factor and ends all other sessions. With the first second factor the person gets recovery codes, and loses them with the last
   * one. Undefined if the change was refused.
   */
  async #change(
    session: StoredSession,
    change: (tx: SqlExecutor) => Promise<boolean>,
    { message, makesCodes = false, renews = false }: { message: string; makesCodes?: boolean; renews?: boolean },
  ): Promise<FactorOutcome | undefined> {
    const { database, sessions, factors } = this.#deps;
    const { id, personId } = session;
    return await database.transaction(async (tx): Promise<FactorOutcome | undefined> => {
      const isSignedIn = (await personTable.hold(tx, personId)) && (await sessions.hold(tx, id));
      if (!isSignedIn) return { kind: "signed out" };
      if (!(await change(tx))) return undefined;
      const { isAsked, recoveryCodeCount } = await factors.of(tx, personId);
      if (!isAsked) await recoveryCodes.remove(tx, personId);
      const isNew = makesCodes && (renews || recoveryCodeCount === 0);
      const codes = isNew ? await recoveryCodes.replace(tx, personId) : undefined;
      await sessions.endOthers(tx, personId, id);
      return { kind: "saved", message, ...(codes && { shown: { codes } }) };
    });
  }

  async #setupNodes({ personId }: StoredSession, secret: string, setup: string, problem?: string) {
    const { email, name } = await personTable.profile(this.#deps.database, personId);
    return totpSetupNodes({ secret, picture: this.#deps.totp.pictureOf(secret, email || name), setup, problem });
  }
}

const maxNameLength = 100;

/** The name of a passkey is for its owner only. What cannot be shown is left out. */
function nameOf(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, "")
    .trim()
    .slice(0, maxNameLength);
}
