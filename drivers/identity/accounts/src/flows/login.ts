import { flowErrors, type Message } from "@appserver/contracts/sign-in";
import type { AccountsDatabase } from "../accounts-database.ts";
import type { Passkeys } from "../factors/passkeys.ts";
import { passkeyProblem, type SecondFactors } from "../factors/second-factors.ts";
import type { Attempts } from "../limits/attempts.ts";
import { networkLimits, pairKey, passwordLimits } from "../limits/sign-in-limits.ts";
import { identityTable } from "../oidc/identity-table.ts";
import type { ProviderSignIn } from "../oidc/provider-sign-in.ts";
import { maxPasswordLength, type Passwords } from "../people/password.ts";
import { type Candidate, personTable } from "../people/person-table.ts";
import type { SessionTable, SignInMethod } from "../sessions/session-table.ts";
import { type CodeProblem, passkeyButton } from "./factor-nodes.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal, signedIn } from "./flow-request.ts";
import { failed } from "./form.ts";
import { loginForm, proofForm } from "./login-form.ts";
import { type SecondStep, secondStepId } from "./second-step.ts";

export interface LoginDeps {
  readonly database: AccountsDatabase;
  readonly attempts: Attempts;
  readonly passwords: Passwords;
  readonly sessions: SessionTable;
  readonly providers: ProviderSignIn;
  readonly passkeys: Passkeys;
  readonly factors: SecondFactors;
  readonly secondStep: SecondStep;
}

interface Shown {
  readonly returnTo: string;
  readonly email?: string;
  readonly codeProblem?: CodeProblem;
  readonly messages?: readonly Message[];
}

/** The sign-in with a password or a passkey; with `refresh` the proof that it is still the same person. */
export class LoginFlow implements FlowHandler {
  readonly #deps: LoginDeps;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  async show(request: FlowRequest): Promise<FlowReply> {
    const { query, current } = request;
    if (query.get("aal") === "aal2" || query.get("id") === secondStepId) return await this.#deps.secondStep.show(request);
    const isRefresh = query.get("refresh") === "true";
    if (current && !isRefresh) return refusal(400, flowErrors.signedIn, "You are signed in already.");
    return await this.#form(200, request, current, { returnTo: query.get("return_to") ?? "" });
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { fields, query } = request;
    if (query.get("flow") === secondStepId) return await this.#deps.secondStep.submit(request);
    const proving = fields.get("refresh") === "true" ? request.current : undefined;
    const provider = fields.get("provider");
    if (provider !== null) {
      const returnTo = fields.get("return_to") || "/console";
      return await this.#deps.providers.begin(provider, request, { returnTo, session: proving?.session });
    }
    if (proving) return (await this.#byFactor(request, proving)) ?? (await this.#byPassword(request, proving));
    return fields.has("passkey") ? await this.#byPasskey(request) : await this.#byPassword(request, undefined);
  }

  async #byPassword(request: FlowRequest, proving: FlowRequest["current"]): Promise<FlowReply> {
    const { fields, network } = request;
    const { database, attempts, passwords } = this.#deps;
    const email = proving
      ? (await personTable.profile(database, proving.session.personId)).email
      : (fields.get("identifier") ?? "");
    const password = fields.get("password") ?? "";
    const candidate = await personTable.candidate(database, email, network);
    await attempts.count(passwordLimits(email, network, candidate.isKnownNetwork));
    // Longer ones cost more work than a stranger may cause.
    const isRight = await passwords.matches(password.slice(0, maxPasswordLength + 1), candidate.passwordHash);
    const reply = isRight ? await this.#follow(request, candidate, pairKey(email, network)) : undefined;
    const what = proving ? "The password is wrong." : "The e-mail address or the password is wrong.";
    return (
      reply ?? (await this.#form(400, request, proving, { returnTo: returnToOf(request), email, messages: [failed(what)] }))
    );
  }

  /** Returns undefined if the password was changed while it was checked. */
  async #follow(request: FlowRequest, { personId, passwordHash }: Candidate, counted: string): Promise<FlowReply | undefined> {
    if (personId === undefined || passwordHash === undefined) return undefined;
    return await this.#deps.database.transaction(async (tx) => {
      if ((await personTable.heldPassword(tx, personId)) !== passwordHash) return undefined;
      return await this.#deps.secondStep.follow(tx, request, { personId, methods: ["password"], counted });
    });
  }

  /** A passkey is two factors, and says whose it is. */
  async #byPasskey(request: FlowRequest): Promise<FlowReply> {
    const { database, attempts, passkeys } = this.#deps;
    await attempts.count(networkLimits(request.network));
    const proof = await passkeys.prove(request);
    const reply =
      proof &&
      (await database.transaction(async (tx) => {
        const { personId } = proof.passkey;
        const isProven = (await personTable.hold(tx, personId)) && (await passkeys.use(tx, proof));
        return isProven ? signedIn(await this.#begin(tx, request, personId, "passkey")) : undefined;
      }));
    if (reply) return reply;
    // The challenge may be one that was used.
    const again = { ...request, challenge: undefined };
    return await this.#form(400, again, undefined, { returnTo: returnToOf(request), messages: [failed(passkeyProblem)] });
  }

  /** A person with a session proves by any other factor that it is still them. Undefined if the form has none. */
  async #byFactor(request: FlowRequest, proving: NonNullable<FlowRequest["current"]>): Promise<FlowReply | undefined> {
    const { database, factors, sessions } = this.#deps;
    const { id, personId } = proving.session;
    const factor = await factors.given(request, personId);
    if (!factor) return undefined;
    const reply = await database.transaction(async (tx) => {
      const isProven = (await sessions.hold(tx, id)) && (await factor.use(tx));
      if (!isProven) return undefined;
      await factors.forgetAttempts(tx, personId);
      return signedIn(await this.#begin(tx, request, personId, factor.method));
    });
    if (reply) return reply;
    const { method, problem: text } = factor;
    const said = method === "passkey" ? { messages: [failed(text)] } : { codeProblem: { method, text } };
    return await this.#form(400, { ...request, challenge: undefined }, proving, { returnTo: returnToOf(request), ...said });
  }

  async #begin(
    tx: Parameters<SessionTable["begin"]>[0],
    { device, network, current }: FlowRequest,
    personId: string,
    method: SignInMethod,
  ): Promise<string> {
    return await this.#deps.sessions.begin(tx, { personId, methods: [method], device, network, replaced: current?.token });
  }

  /** With a current session, the form proves that it is still the same person. */
  async #form(status: number, request: FlowRequest, proving: FlowRequest["current"], shown: Shown): Promise<FlowReply> {
    const { database, providers, passkeys, factors } = this.#deps;
    if (!proving) {
      const { nodes, challenge } = await passkeyButton(passkeys, request);
      const body = loginForm({ ...shown, buttons: providers.buttons(), passkey: nodes });
      return { status, body, ...(challenge !== undefined && { challenge }) };
    }
    const { personId } = proving.session;
    const own = await factors.of(database, personId);
    const { nodes, challenge } = await passkeyButton(passkeys, request, own);
    const { hasPassword } = await personTable.profile(database, personId);
    const connected = await identityTable.providersOf(database, personId);
    const buttons = providers.buttons((id) => connected.has(id));
    const body = proofForm({ ...shown, hasPassword, buttons, factors: own, passkey: nodes });
    return { status, body, ...(challenge !== undefined && { challenge }) };
  }
}

function returnToOf({ fields }: FlowRequest): string {
  return fields.get("return_to") ?? "";
}
