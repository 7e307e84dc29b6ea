import { hash } from "node:crypto";
import { flowErrors, type Message } from "@appserver/contracts/sign-in";
import type { AccountsDatabase } from "../accounts-database.ts";
import type { AttemptLimit, Attempts } from "../limits/attempts.ts";
import { emailKey } from "../people/email.ts";
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
}

const quarterHourMs = 900_000;
const hourMs = 3_600_000;
/** One network, for all accounts. */
const networkLimit = { limit: 60, windowMs: quarterHourMs };
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

  show({ query, current }: FlowRequest): FlowReply {
    const isRefresh = query.get("refresh") === "true";
    if (current && !isRefresh) return refusal(400, flowErrors.signedIn, "You are signed in already.");
    return { status: 200, body: form({ isRefresh: isRefresh && current !== undefined }) };
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { fields, current, network } = request;
    const { database, attempts, passwords, sessions } = this.#deps;
    const isRefresh = fields.get("refresh") === "true" && current !== undefined;
    const email = isRefresh
      ? (await personTable.profile(database, current.session.personId)).email
      : (fields.get("identifier") ?? "");
    const password = fields.get("password") ?? "";
    const candidate = await personTable.candidate(database, email, network);
    const limits = limitsOf(email, network, candidate);
    await attempts.count(limits);
    // Longer ones cost more work than a stranger may cause.
    const isRight = await passwords.matches(password.slice(0, maxPasswordLength + 1), candidate.passwordHash);
    const { personId } = candidate;
    if (!isRight || personId === undefined) {
      const what = isRefresh ? "The password is wrong." : "The e-mail address or the password is wrong.";
      return { status: 400, body: form({ isRefresh, email, messages: [failed(what)] }) };
    }
    const { device } = request;
    const begun = { personId, methods: ["password"], device, network, replaced: current?.token } as const;
    const token = await database.transaction((tx) => sessions.begin(tx, begun));
    await attempts.forget(pairKey(email, network));
    return signedIn(token);
  }
}

function limitsOf(email: string, network: string, { isKnownNetwork }: Candidate): readonly AttemptLimit[] {
  return [
    { key: `network:${network}`, ...networkLimit },
    { key: pairKey(email, network), ...pairLimit },
    ...(isKnownNetwork ? [] : [{ key: `account:${digest(email)}`, ...accountLimit }]),
  ];
}

function pairKey(email: string, network: string): string {
  return `account:${digest(email)}:${network}`;
}

/** Addresses of strangers, and passwords that were typed into the wrong field, are stored by their digest only. */
function digest(email: string): string {
  return hash("sha256", emailKey(email), "base64url");
}

interface FormOptions {
  readonly isRefresh: boolean;
  readonly email?: string;
  readonly messages?: readonly Message[];
}

function form({ isRefresh, email, messages }: FormOptions) {
  const group = "password";
  const identifier = isRefresh
    ? input(group, { name: "refresh", type: "hidden", label: "", value: "true" })
    : input(group, {
        name: "identifier",
        type: "email",
        label: "E-mail address",
        autocomplete: "username",
        ...(email !== undefined && { value: email.slice(0, 254) }),
      });
  const password = input(group, { name: "password", type: "password", label: "Password", autocomplete: "current-password" });
  const nodes = [identifier, password, button(group, isRefresh ? "Continue" : "Sign in")];
  return flow({ kind: "login", nodes, ...(messages && { messages }) });
}
