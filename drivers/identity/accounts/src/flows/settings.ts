import { type FlowNode, flowErrors, type Message } from "@appserver/contracts/sign-in";
import type { Clock } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";
import { identityTable } from "../oidc/identity-table.ts";
import type { ProviderSignIn } from "../oidc/provider-sign-in.ts";
import { type Passwords, passwordProblem } from "../people/password.ts";
import { personTable } from "../people/person-table.ts";
import type { ListedSession, SessionTable, StoredSession } from "../sessions/session-table.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal } from "./flow-request.ts";
import { button, failed, flow, input, succeeded } from "./form.ts";
import { nameProblem } from "./name-problem.ts";

export interface SettingsDeps {
  readonly database: AccountsDatabase;
  readonly passwords: Passwords;
  readonly sessions: SessionTable;
  readonly providers: ProviderSignIn;
  readonly clock: Clock;
}

/** How long after a proof a person may change how they sign in. */
const provenMs = 600_000;

/** What people change of their own account: name, password, sessions. */
export class SettingsFlow implements FlowHandler {
  readonly #deps: SettingsDeps;

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
  }

  async show({ current }: FlowRequest): Promise<FlowReply> {
    if (!current) return signedOut;
    return { status: 200, body: await this.#form(current.session) };
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { fields, current } = request;
    if (!current) return signedOut;
    const { session } = current;
    const ended = fields.get("session_end");
    if (ended !== null) return await this.#end(session, (tx) => this.#deps.sessions.end(tx, session.personId, ended));
    if (fields.has("sessions_end_others")) {
      return await this.#end(session, (tx) => this.#deps.sessions.endOthers(tx, session.personId, session.id));
    }
    const [connected, disconnected] = [fields.get("provider_connect"), fields.get("provider_disconnect")];
    if (connected !== null) return await this.#connect(request, session, connected);
    if (disconnected !== null) return await this.#disconnect(session, disconnected);
    if (fields.get("method") === "profile") return await this.#rename(session, (fields.get("name") ?? "").trim());
    if (fields.get("method") === "password") return await this.#changePassword(request, session, current.token);
    return { status: 400, body: { error: { reason: "The form has no button of this name." } } };
  }

  async #end(session: StoredSession, end: (tx: SqlExecutor) => Promise<void>): Promise<FlowReply> {
    await end(this.#deps.database);
    return await this.#saved(session, "Ended.");
  }

  async #rename(session: StoredSession, name: string): Promise<FlowReply> {
    const problem = nameProblem(name);
    if (problem !== undefined) return { status: 400, body: await this.#form(session, { name, nameProblem: problem }) };
    await personTable.rename(this.#deps.database, session.personId, name);
    return await this.#saved(session, "Your name was changed.");
  }

  /** All other sessions end: one may be of another person who knew the old password. */
  async #changePassword({ fields, device, network }: FlowRequest, session: StoredSession, token: string): Promise<FlowReply> {
    const { database, passwords, sessions } = this.#deps;
    if (!this.#isProven(session)) return notProven;
    const password = fields.get("password") ?? "";
    const { email } = await personTable.profile(database, session.personId);
    if (email === "")
      return { status: 400, body: { error: { reason: "A password needs an address with which you sign in." } } };
    const problem = passwordProblem(password, email);
    if (problem !== undefined) return { status: 400, body: await this.#form(session, { passwordProblem: problem }) };
    const hash = await passwords.hash(password);
    const begun = await database.transaction(async (tx) => {
      if (!(await sessions.hold(tx, session.id))) return undefined;
      await personTable.setPassword(tx, session.personId, hash);
      await sessions.endOthers(tx, session.personId, session.id);
      return await sessions.begin(tx, { personId: session.personId, methods: ["password"], device, network, replaced: token });
    });
    if (begun === undefined) return signedOut;
    const message = "Your password was changed. All other sessions have ended.";
    return { status: 200, body: await this.#form(session, { messages: [succeeded(message)], state: "success" }), token: begun };
  }

  #isProven({ provenAt }: StoredSession): boolean {
    return this.#deps.clock.now() - provenAt.getTime() <= provenMs;
  }

  async #connect(request: FlowRequest, session: StoredSession, provider: string): Promise<FlowReply> {
    if (!this.#isProven(session)) return notProven;
    return await this.#deps.providers.begin(provider, request, { returnTo: "/login/settings", session, connects: true });
  }

  /** The last way to sign in stays. */
  async #disconnect(session: StoredSession, provider: string): Promise<FlowReply> {
    if (!this.#isProven(session)) return notProven;
    const { database, providers } = this.#deps;
    const { personId } = session;
    const isLast = await database.transaction(async (tx) => {
      await tx.query("select 1 from accounts.people where id = $1 for update", [personId]);
      const { hasPassword } = await personTable.profile(tx, personId);
      const connected = await identityTable.providersOf(tx, personId);
      const others = providers.names.filter(([id]) => id !== provider && connected.has(id));
      if (!hasPassword && others.length === 0) return true;
      await identityTable.unlink(tx, personId, provider);
      return false;
    });
    if (!isLast) return await this.#saved(session, "Disconnected.");
    const messages = [failed("This is your only way to sign in. Set a password first.")];
    return { status: 400, body: await this.#form(session, { messages }) };
  }

  async #saved(session: StoredSession, message: string): Promise<FlowReply> {
    return { status: 200, body: await this.#form(session, { messages: [succeeded(message)], state: "success" }) };
  }

  async #form(session: StoredSession, shown: Shown = {}) {
    const { database, sessions, providers } = this.#deps;
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

function sessionNodes(all: readonly ListedSession[], ownId: string): readonly FlowNode[] {
  const group = "sessions";
  const [own, others] = [all.find(({ id }) => id === ownId), all.filter(({ id }) => id !== ownId)];
  const here: FlowNode = {
    type: "text",
    group,
    attributes: { id: "session_here", text: { text: own ? placeOf(own) : "the one that began just now" } },
    messages: [],
    meta: { label: { text: "This session" } },
  };
  const ends = others.map((each) => button(group, `End: ${placeOf(each)}`, "session_end", each.id));
  return [
    here,
    ...ends,
    ...(others.length > 0 ? [button(group, "End all other sessions", "sessions_end_others", "true")] : []),
  ];
}

function placeOf({ device, network, usedAt }: ListedSession): string {
  return `${device}, ${network}, used ${usedAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
