import { type FlowNode, flowErrors, type Message } from "@appserver/contracts/sign-in";
import type { Clock } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { relyingPartyOf } from "../factors/relying-party.ts";
import { identityTable } from "../oidc/identity-table.ts";
import type { ProviderSignIn } from "../oidc/provider-sign-in.ts";
import { type Passwords, passwordProblem } from "../people/password.ts";
import { personTable } from "../people/person-table.ts";
import { hasOtherWayIn } from "../people/ways-in.ts";
import type { SessionTable, StoredSession } from "../sessions/session-table.ts";
import type { FactorOutcome, FactorSettings } from "./factor-settings.ts";
import type { ShownFactors } from "./factor-settings-nodes.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal } from "./flow-request.ts";
import { button, failed, flow, input, succeeded } from "./form.ts";
import { nameProblem } from "./name-problem.ts";
import { sessionNodes } from "./session-nodes.ts";

export interface SettingsDeps {
  readonly database: AccountsDatabase;
  readonly passwords: Passwords;
  readonly sessions: SessionTable;
  readonly providers: ProviderSignIn;
  readonly factorSettings: FactorSettings;
  readonly clock: Clock;
}

/** How long after a proof a person may change how they sign in. */
const provenMs = 600_000;

/** What people change of their own account: name, how they sign in, sessions. */
export class SettingsFlow implements FlowHandler {
  readonly #deps: SettingsDeps;

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
  }

  async show(request: FlowRequest): Promise<FlowReply> {
    const { current } = request;
    if (!current) return signedOut;
    return { status: 200, body: await this.#form(request, current.session) };
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { fields, current } = request;
    if (!current) return signedOut;
    const { session } = current;
    const action = this.#deps.factorSettings.actionOf(fields);
    if (action) {
      if (!action.isProof && !this.#isProven(session)) return notProven;
      return await this.#afterFactor(request, session, await action.run({ request, session }));
    }
    const ended = fields.get("session_end");
    if (ended !== null) return await this.#end(request, session, (tx) => this.#deps.sessions.end(tx, session.personId, ended));
    if (fields.has("sessions_end_others")) {
      return await this.#end(request, session, (tx) => this.#deps.sessions.endOthers(tx, session.personId, session.id));
    }
    const [connected, disconnected] = [fields.get("provider_connect"), fields.get("provider_disconnect")];
    if (connected !== null) return await this.#connect(request, session, connected);
    if (disconnected !== null) return await this.#disconnect(request, session, disconnected);
    if (fields.get("method") === "profile") return await this.#rename(request, session, (fields.get("name") ?? "").trim());
    if (fields.get("method") === "password") return await this.#changePassword(request, session, current.token);
    return { status: 400, body: { error: { reason: "The form has no button of this name." } } };
  }

  async #afterFactor(request: FlowRequest, session: StoredSession, outcome: FactorOutcome): Promise<FlowReply> {
    if (outcome.kind === "signed out") return signedOut;
    const factors = outcome.shown ?? {};
    if (outcome.kind === "asked") return { status: 200, body: await this.#form(request, session, { factors }) };
    if (outcome.kind === "saved") return await this.#saved(request, session, outcome.message, factors);
    return { status: 400, body: await this.#form(request, session, { factors, messages: [failed(outcome.message)] }) };
  }

  async #end(request: FlowRequest, session: StoredSession, end: (tx: SqlExecutor) => Promise<void>): Promise<FlowReply> {
    await end(this.#deps.database);
    return await this.#saved(request, session, "Ended.");
  }

  async #rename(request: FlowRequest, session: StoredSession, name: string): Promise<FlowReply> {
    const problem = nameProblem(name);
    if (problem !== undefined) return { status: 400, body: await this.#form(request, session, { name, nameProblem: problem }) };
    await personTable.rename(this.#deps.database, session.personId, name);
    return await this.#saved(request, session, "Your name was changed.");
  }

  /** All other sessions end: one may be of another person who knew the old password. */
  async #changePassword(request: FlowRequest, session: StoredSession, token: string): Promise<FlowReply> {
    const { fields, device, network } = request;
    const { database, passwords, sessions } = this.#deps;
    if (!this.#isProven(session)) return notProven;
    const password = fields.get("password") ?? "";
    const { email } = await personTable.profile(database, session.personId);
    if (email === "")
      return { status: 400, body: { error: { reason: "A password needs an address with which you sign in." } } };
    const problem = passwordProblem(password, email);
    if (problem !== undefined) return { status: 400, body: await this.#form(request, session, { passwordProblem: problem }) };
    const hash = await passwords.hash(password);
    const begun = await database.transaction(async (tx) => {
      if (!(await sessions.hold(tx, session.id))) return undefined;
      await personTable.setPassword(tx, session.personId, hash);
      await sessions.endOthers(tx, session.personId, session.id);
      return await sessions.begin(tx, { personId: session.personId, methods: ["password"], device, network, replaced: token });
    });
    if (begun === undefined) return signedOut;
    const message = "Your password was changed. All other sessions have ended.";
    const { body } = await this.#saved(request, session, message);
    return { status: 200, body, token: begun };
  }

  #isProven({ provenAt }: StoredSession): boolean {
    return this.#deps.clock.now() - provenAt.getTime() <= provenMs;
  }

  async #connect(request: FlowRequest, session: StoredSession, provider: string): Promise<FlowReply> {
    if (!this.#isProven(session)) return notProven;
    return await this.#deps.providers.begin(provider, request, { returnTo: "/login/settings", session, connects: true });
  }

  /** The last way to sign in stays. */
  async #disconnect(request: FlowRequest, session: StoredSession, provider: string): Promise<FlowReply> {
    if (!this.#isProven(session)) return notProven;
    const { database, providers } = this.#deps;
    const { personId } = session;
    const isLast = await database.transaction(async (tx) => {
      const rpId = relyingPartyOf(request.origin)?.id;
      const ways = { providers: providers.names.map(([id]) => id), rpId, without: { provider } };
      if (!(await hasOtherWayIn(tx, personId, ways))) return true;
      await identityTable.unlink(tx, personId, provider);
      return false;
    });
    if (!isLast) return await this.#saved(request, session, "Disconnected.");
    const messages = [failed("This is your only way to sign in. Set a password first.")];
    return { status: 400, body: await this.#form(request, session, { messages }) };
  }

  async #saved(request: FlowRequest, session: StoredSession, message: string, factors: ShownFactors = {}): Promise<FlowReply> {
    const shown = { messages: [succeeded(message)], state: "success", factors };
    return { status: 200, body: await this.#form(request, session, shown) };
  }

  async #form(request: FlowRequest, session: StoredSession, shown: Shown = {}) {
    const { database, sessions, providers, factorSettings } = this.#deps;
    const connected = await identityTable.providersOf(database, session.personId);
    const { name, email } = await personTable.profile(database, session.personId);
    const all = await sessions.list(database, session.personId);
    const nodes = [
      input("profile", {
        name: "name",
        type: "text",
        label: "Name",
        value: shown.name ?? name,
        autocomplete: "name",
        ...(email !== "" && { hint: `Your address is ${email}.` }),
        problem: shown.nameProblem,
      }),
      button("profile", "Save"),
      ...(email === "" ? [] : passwordNodes(shown.passwordProblem)),
      ...(await factorSettings.nodes(request, session.personId, shown.factors ?? {})),
      ...providers.names.map(([id, provider]) =>
        connected.has(id)
          ? button("oidc", `Disconnect ${provider}`, "provider_disconnect", id)
          : button("oidc", `Connect ${provider}`, "provider_connect", id),
      ),
      ...sessionNodes(all, session.id),
    ];
    const { messages, state } = shown;
    return flow({ kind: "settings", nodes, ...(messages && { messages }), ...(state !== undefined && { state }) });
  }
}

interface Shown {
  readonly name?: string;
  readonly nameProblem?: string;
  readonly passwordProblem?: string;
  readonly factors?: ShownFactors;
  readonly messages?: readonly Message[];
  readonly state?: string;
}

const notProven = refusal(403, flowErrors.refresh, "Confirm first that it is you.");
const signedOut = refusal(401, flowErrors.signedOut, "Sign in first.");

function passwordNodes(problem: string | undefined): readonly FlowNode[] {
  const name = "password";
  return [
    input(name, { name, type: name, label: "New password", autocomplete: "new-password", problem }),
    button(name, "Change the password"),
  ];
}
