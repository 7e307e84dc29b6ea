import { flowErrors, linkMethod } from "@appserver/contracts/sign-in";
import type { AccountsDatabase } from "../accounts-database.ts";
import type { Letters } from "../letters/letters.ts";
import type { Attempts } from "../limits/attempts.ts";
import { addressDigest } from "../people/email.ts";
import { linkTable } from "../people/link-table.ts";
import { type Passwords, passwordProblem } from "../people/password.ts";
import { personTable } from "../people/person-table.ts";
import type { SessionTable } from "../sessions/session-table.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal } from "./flow-request.ts";
import { button, flow, input, succeeded } from "./form.ts";
import type { SecondStep } from "./second-step.ts";

export interface RecoveryDeps {
  readonly database: AccountsDatabase;
  readonly attempts: Attempts;
  readonly passwords: Passwords;
  readonly sessions: SessionTable;
  readonly secondStep: SecondStep;
  /** Undefined: letters cannot be sent. */
  readonly letters: Letters | undefined;
}

const hourMs = 3_600_000;
const networkLimit = { limit: 20, windowMs: hourMs };
const addressLimit = { limit: 3, windowMs: hourMs };

/** A new password by a link in a letter. It does not replace the second factor. The answer is the same for known and unknown addresses, and so is the work. */
export class RecoveryFlow implements FlowHandler {
  readonly #deps: RecoveryDeps;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  show({ current }: FlowRequest): FlowReply {
    if (!this.#deps.letters) return refusal(400, flowErrors.disabled, "This platform sends no letters.");
    if (current) return refusal(400, flowErrors.signedIn, "You are signed in.");
    return { status: 200, body: requestForm() };
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const token = request.fields.get("token");
    if (token !== null) return await this.#recover(request, token);
    const { attempts, letters } = this.#deps;
    if (!letters) return refusal(400, flowErrors.disabled, "This platform sends no letters.");
    const email = (request.fields.get("email") ?? "").slice(0, 300);
    await attempts.count([
      { key: `recovery:network:${request.network}`, ...networkLimit },
      { key: `recovery:${addressDigest(email)}`, ...addressLimit },
    ]);
    await letters.write(email);
    return { status: 200, body: { ...requestForm(), ...sent } };
  }

  async #recover(request: FlowRequest, token: string): Promise<FlowReply> {
    const { fields } = request;
    const { database, passwords, sessions, secondStep } = this.#deps;
    const personId = await linkTable.personOf(database, "recovery", token);
    if (personId === undefined || !(await personTable.isActive(database, personId))) return usedUp;
    if (fields.get("method") === linkMethod) return { status: 200, body: passwordForm(token) };
    const password = fields.get("password") ?? "";
    const problem = passwordProblem(password, (await personTable.profile(database, personId)).email);
    if (problem !== undefined) return { status: 400, body: passwordForm(token, problem) };
    const hash = await passwords.hash(password);
    const reply = await database.transaction(async (tx) => {
      if (!(await linkTable.use(tx, "recovery", token))) return undefined;
      await personTable.setPassword(tx, personId, hash);
      await personTable.setEmailProven(tx, personId);
      // One of them may be of the person from whom the account is recovered.
      await sessions.endAll(tx, personId);
      return await secondStep.follow(tx, request, { personId, methods: ["recovery"] });
    });
    return reply ?? usedUp;
  }
}

const usedUp: FlowReply = {
  status: 400,
  body: { error: { reason: "This link was used, or its time is over. Ask for another letter." } },
};

const sent = {
  state: "sent_email",
  ui: {
    nodes: [],
    messages: [succeeded("If an account has this address, a letter with a link is on its way. The link works for an hour.")],
  },
};

function requestForm() {
  const email = input("link", { name: "email", type: "email", label: "E-mail address", autocomplete: "username" });
  return flow({ kind: "recovery", nodes: [email, button("link", "Send a link", "method", "letter")] });
}

function passwordForm(token: string, problem?: string) {
  const nodes = [
    input("default", { name: "token", type: "hidden", label: "", value: token }),
    input("password", { name: "password", type: "password", label: "New password", autocomplete: "new-password", problem }),
    button("password", "Set the password"),
  ];
  return flow({ kind: "recovery", nodes });
}
