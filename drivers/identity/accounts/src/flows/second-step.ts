import { hash } from "node:crypto";
import { flowErrors, type Message } from "@appserver/contracts/sign-in";
import type { Clock } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { SealedState } from "../browser/sealed-state.ts";
import type { Passkeys } from "../factors/passkeys.ts";
import type { GivenFactor, SecondFactors } from "../factors/second-factors.ts";
import type { Attempts } from "../limits/attempts.ts";
import { personTable } from "../people/person-table.ts";
import type { SessionTable, SignInMethod } from "../sessions/session-table.ts";
import { codeNodes, passkeyButton } from "./factor-nodes.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal, signedIn } from "./flow-request.ts";
import { failed, flow } from "./form.ts";

export interface SecondStepDeps {
  readonly database: AccountsDatabase;
  readonly sessions: SessionTable;
  readonly attempts: Attempts;
  readonly factors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly key: () => Promise<Uint8Array>;
  readonly clock: Clock;
}

/** A person who has given the first factor. */
export interface FirstStep {
  readonly personId: string;
  readonly methods: readonly SignInMethod[];
  /** Attempts under this key are forgotten when the session begins. */
  readonly counted?: string;
}

interface PendingSession extends FirstStep {
  /** Of the hash of the password. A new password ends the sign-in. */
  readonly passwordDigest: string;
}

/** The id of the flow, and how its forms name it. */
export const secondStepId = "second-factor";
const validMs = 600_000;

/** The end of each sign-in by password, invitation or recovery. A person with a second factor has no session until it was given. */
export class SecondStep implements FlowHandler {
  readonly #deps: SecondStepDeps;
  readonly #pending: SealedState<PendingSession>;

  constructor(deps: SecondStepDeps) {
    this.#deps = deps;
    const { key, clock } = deps;
    this.#pending = new SealedState({ purpose: "second factor", validMs, key, clock });
  }

  /** Begins the session, or sends the browser to the question for the second factor. Undefined if the person cannot sign in. */
  async follow(tx: SqlExecutor, request: FlowRequest, first: FirstStep): Promise<FlowReply | undefined> {
    const password = await personTable.heldPassword(tx, first.personId);
    if (password === undefined) return undefined;
    const { isAsked } = await this.#deps.factors.of(tx, first.personId);
    if (!isAsked) return signedIn(await this.#begin(tx, request, first));
    const pending = await this.#pending.seal({ ...first, passwordDigest: digest(password) });
    return { status: 422, body: { redirect_browser_to: "/login?aal=aal2" }, pending };
  }

  async show(request: FlowRequest): Promise<FlowReply> {
    const pending = await this.#pending.open(request.pending);
    return pending ? await this.#form(200, request, pending) : expired;
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { database, factors } = this.#deps;
    const pending = await this.#pending.open(request.pending);
    if (!pending) return expired;
    const factor = await factors.given(request, pending.personId);
    if (!factor) return { status: 400, body: { error: { reason: "The form has no second factor." } } };
    const reply = await database.transaction(async (tx): Promise<FlowReply | undefined> => {
      const password = await personTable.heldPassword(tx, pending.personId);
      if (password === undefined || digest(password) !== pending.passwordDigest) return expired;
      if (!(await factor.use(tx))) return undefined;
      await factors.forgetAttempts(tx, pending.personId);
      return signedIn(await this.#begin(tx, request, { ...pending, methods: [...pending.methods, factor.method] }));
    });
    return reply ?? (await this.#form(400, request, pending, factor));
  }

  async #begin(tx: SqlExecutor, request: FlowRequest, { personId, methods, counted }: FirstStep): Promise<string> {
    const { attempts, sessions } = this.#deps;
    const { device, network, current } = request;
    if (counted !== undefined) await attempts.forget(tx, counted);
    return await sessions.begin(tx, { personId, methods, device, network, replaced: current?.token });
  }

  async #form(status: number, request: FlowRequest, { personId }: PendingSession, refused?: GivenFactor): Promise<FlowReply> {
    const { database, factors, passkeys } = this.#deps;
    const own = await factors.of(database, personId);
    const problem = refused && { method: refused.method, text: refused.problem };
    // The challenge may be one that was used.
    const passkey = await passkeyButton(passkeys, refused ? { ...request, challenge: undefined } : request, own);
    const nodes = [...codeNodes(own, problem), ...passkey.nodes];
    const messages: Message[] = refused?.method === "passkey" ? [failed(refused.problem)] : [];
    if (nodes.length === 0)
      messages.push(failed("None of your second factors can be used here. Ask an administrator for help."));
    const shown = { ...flow({ kind: "login", nodes, messages }), id: secondStepId, requested_aal: "aal2" };
    return { status, body: shown, ...(passkey.challenge !== undefined && { challenge: passkey.challenge }) };
  }
}

/** The page goes back to the first factor. */
const expired: FlowReply = {
  ...refusal(401, flowErrors.noFactor, "That took too long, or the password was changed. Sign in again."),
  pending: "",
};

function digest(password: string): string {
  return hash("sha256", password, "base64url");
}
