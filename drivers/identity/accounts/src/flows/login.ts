import { type FlowNode, flowErrors, type Message } from "@appserver/contracts/sign-in";
import type { AccountsDatabase } from "../accounts-database.ts";
import type { AttemptLimit, Attempts } from "../limits/attempts.ts";
import { identityTable } from "../oidc/identity-table.ts";
import type { ProviderSignIn } from "../oidc/provider-sign-in.ts";
import { addressDigest } from "../people/email.ts";
import { maxPasswordLength, type Passwords } from "../people/password.ts";
import { type Candidate, personTable } from "../people/person-table.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal, signedIn } from "./flow-request.ts";
import { button, failed, flow, input } from "./form.ts";

export interface LoginDeps {
  readonly database: AccountsDatabase;
  readonly attempts: Attempts;
  readonly passwords: Passwords;
  readonly sessions: SessionTable;
  readonly providers: ProviderSignIn;
}

const quarterHourMs = 900_000;
const hourMs = 3_600_000;
/** One network, for all accounts. */
const networkLimit = { limit: 60, windowMs: quarterHourMs };
/** One site, for all accounts. */
const siteLimit = { limit: 240, windowMs: quarterHourMs };
/** One account from one network. */
const pairLimit = { limit: 10, windowMs: quarterHourMs };
/** One account from all networks from which its owner did not sign in lately: strangers cannot lock its owner out. */
const accountLimit = { limit: 100, windowMs: hourMs };

/** The sign-in with an address and a password; with `refresh` the proof that it is still the same person. */
export class LoginFlow implements FlowHandler {
  readonly #deps: LoginDeps;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  async show({ query, current }: FlowRequest): Promise<FlowReply> {
    const isRefresh = query.get("refresh") === "true";
    if (current && !isRefresh) return refusal(400, flowErrors.signedIn, "You are signed in already.");
    return { status: 200, body: await this.#form(current, { returnTo: query.get("return_to") ?? "" }) };
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { fields, current, network } = request;
    const { database, attempts, passwords, providers } = this.#deps;
    const returnTo = fields.get("return_to") ?? "";
    const isRefresh = fields.get("refresh") === "true" && current !== undefined;
    const provider = fields.get("provider");
    if (provider !== null) {
      const session = isRefresh ? current.session : undefined;
      return await providers.begin(provider, request, { returnTo: returnTo || "/console", session });
    }
    const email = isRefresh
      ? (await personTable.profile(database, current.session.personId)).email
      : (fields.get("identifier") ?? "");
    const password = fields.get("password") ?? "";
    const candidate = await personTable.candidate(database, email, network);
    const limits = limitsOf(email, network, candidate);
    await attempts.count(limits);
    // Longer ones cost more work than a stranger may cause.
    const isRight = await passwords.matches(password.slice(0, maxPasswordLength + 1), candidate.passwordHash);
    const token = isRight ? await this.#begin(request, candidate, pairKey(email, network)) : undefined;
    if (token === undefined) {
      const what = isRefresh ? "The password is wrong." : "The e-mail address or the password is wrong.";
      const shown = { returnTo, email, messages: [failed(what)] };
      return { status: 400, body: await this.#form(isRefresh ? current : undefined, shown) };
    }
    return signedIn(token);
  }

  /** Returns undefined if the password was changed while it was checked. */
  async #begin({ device, network, current }: FlowRequest, candidate: Candidate, counted: string): Promise<string | undefined> {
    const { database, attempts, sessions } = this.#deps;
    const { personId, passwordHash } = candidate;
    if (personId === undefined || passwordHash === undefined) return undefined;
    return await database.transaction(async (tx) => {
      if (!(await personTable.holdPassword(tx, personId, passwordHash))) return undefined;
      await attempts.forget(tx, counted);
      return await sessions.begin(tx, { personId, methods: ["password"], device, network, replaced: current?.token });
    });
  }

  /** With a current session, the form proves that it is still the same person. */
  async #form(current: FlowRequest["current"], shown: Omit<FormOptions, "isRefresh" | "buttons" | "hasPassword">) {
    const { database, providers } = this.#deps;
    if (!current) return form({ ...shown, isRefresh: false, hasPassword: true, buttons: providers.buttons() });
    const { personId } = current.session;
    const { hasPassword } = await personTable.profile(database, personId);
    const connected = await identityTable.providersOf(database, personId);
    return form({ ...shown, isRefresh: true, hasPassword, buttons: providers.buttons((id) => connected.has(id)) });
  }
}

/** The keys are the same for every address: what is locked and counted tells nothing about it. */
function limitsOf(email: string, network: string, { isKnownNetwork }: Candidate): readonly AttemptLimit[] {
  const limit = isKnownNetwork ? Number.POSITIVE_INFINITY : accountLimit.limit;
  return [
    { key: `network:${network}`, ...networkLimit },
    { key: `site:${siteOf(network)}`, ...siteLimit },
    { key: pairKey(email, network), ...pairLimit },
    { key: `account:${addressDigest(email)}`, ...accountLimit, limit },
  ];
}

/** One customer has all IPv6 networks with the same first 48 bits. */
function siteOf(network: string): string {
  return network.includes(":") ? network.split(":").slice(0, 3).join(":") : network;
}

function pairKey(email: string, network: string): string {
  return `account:${addressDigest(email)}:${network}`;
}

interface FormOptions {
  readonly isRefresh: boolean;
  readonly hasPassword: boolean;
  readonly buttons: readonly FlowNode[];
  readonly returnTo: string;
  readonly email?: string;
  readonly messages?: readonly Message[];
}

function form({ isRefresh, hasPassword, buttons, returnTo, email, messages }: FormOptions) {
  const group = "password";
  const identifier = isRefresh
    ? []
    : input(group, {
        name: "identifier",
        type: "email",
        label: "E-mail address",
        autocomplete: "username",
        ...(email !== undefined && { value: email.slice(0, 254) }),
      });
  const password = input(group, { name: "password", type: "password", label: "Password", autocomplete: "current-password" });
  const ofPassword = hasPassword ? [identifier, password, button(group, isRefresh ? "Continue" : "Sign in")].flat() : [];
  const hidden = { return_to: returnTo, ...(isRefresh && { refresh: "true" }) };
  const ofAll = Object.entries(hidden).map(([name, value]) => input("default", { name, type: "hidden", label: "", value }));
  const nodes = [...ofAll, ...buttons, ...ofPassword];
  return flow({ kind: "login", nodes, ...(messages && { messages }) });
}
