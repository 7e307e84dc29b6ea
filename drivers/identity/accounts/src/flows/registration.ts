import { type FlowNode, flowErrors, linkMethod } from "@appserver/contracts/sign-in";
import type { AccountsDatabase } from "../accounts-database.ts";
import type { ProviderSignIn } from "../oidc/provider-sign-in.ts";
import { isEmail } from "../people/email.ts";
import { type Invitations, isTaken } from "../people/invitations.ts";
import { LinkUsed } from "../people/link-table.ts";
import { type Passwords, passwordProblem } from "../people/password.ts";
import { type InvitedPerson, personTable } from "../people/person-table.ts";
import { type FlowHandler, type FlowReply, type FlowRequest, refusal } from "./flow-request.ts";
import { button, failed, flow, input } from "./form.ts";
import { nameProblem } from "./name-problem.ts";
import type { SecondStep } from "./second-step.ts";

export interface RegistrationDeps {
  readonly database: AccountsDatabase;
  readonly invitations: Invitations;
  readonly passwords: Passwords;
  readonly secondStep: SecondStep;
  readonly providers: ProviderSignIn;
}

/** An invited person completes the account. Others cannot make one. */
export class RegistrationFlow implements FlowHandler {
  readonly #deps: RegistrationDeps;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  show(): FlowReply {
    return refusal(400, flowErrors.disabled, "Accounts are made by invitation.");
  }

  async submit(request: FlowRequest): Promise<FlowReply> {
    const { fields } = request;
    const { database, invitations, passwords, secondStep, providers } = this.#deps;
    const form = (...shown: FormParts) => formOf(providers.buttons(), ...shown);
    const token = fields.get("token") ?? "";
    const invited = await invitations.find(token);
    if (!invited) return usedUp;
    const provider = fields.get("provider");
    if (provider !== null) return await providers.begin(provider, request, { returnTo: "/console", invitation: token });
    if (fields.get("method") === linkMethod) return { status: 200, body: form(token, invited, {}) };
    const given = filledIn(fields, invited);
    const problems = problemsOf(given);
    if (Object.keys(problems).length > 0) return { status: 400, body: form(token, invited, given, problems) };
    const hash = await passwords.hash(given.password);
    try {
      const reply = await database.transaction(async (tx) => {
        await invitations.accept(tx, token, { id: invited.id, email: given.email, name: given.name });
        await personTable.setPassword(tx, invited.id, hash);
        return await secondStep.follow(tx, request, { personId: invited.id, methods: ["invitation", "password"] });
      });
      return reply ?? usedUp;
    } catch (error) {
      if (error instanceof LinkUsed) return usedUp;
      if (!isTaken(error)) throw error;
      return { status: 400, body: form(token, invited, given, { email: "Another account has this address." }) };
    }
  }
}

const usedUp: FlowReply = {
  status: 400,
  body: { error: { reason: "This link was used, or its time is over. Ask for another invitation." } },
};

interface Given {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

type Problems = { readonly [Field in keyof Given]?: string | undefined };

function filledIn(fields: URLSearchParams, invited: InvitedPerson): Given {
  return {
    email: invited.email ?? (fields.get("email") ?? "").trim(),
    name: (fields.get("name") ?? "").trim(),
    password: fields.get("password") ?? "",
  };
}

function problemsOf({ email, name, password }: Given): Problems {
  const all = {
    email: isEmail(email) ? undefined : "This is no e-mail address.",
    name: nameProblem(name),
    password: passwordProblem(password, email),
  };
  return Object.fromEntries(Object.entries(all).filter(([, problem]) => problem !== undefined));
}

type FormParts = readonly [token: string, invited: InvitedPerson, given: Partial<Given>, problems?: Problems];

function formOf(buttons: readonly FlowNode[], ...[token, invited, given, problems = {}]: FormParts) {
  const group = "password";
  const hint = "At least 12 characters. A few words that do not belong together are good.";
  const isFixed = invited.email !== undefined;
  const nodes = [
    input("default", { name: "token", type: "hidden", label: "", value: token }),
    ...buttons,
    input(group, {
      name: "email",
      type: "email",
      label: "E-mail address",
      value: invited.email ?? given.email ?? "",
      autocomplete: "username",
      isFixed,
      problem: problems.email,
    }),
    input(group, {
      name: "name",
      type: "text",
      label: "Your name",
      value: given.name ?? invited.name,
      autocomplete: "name",
      problem: problems.name,
    }),
    input(group, {
      name: "password",
      type: "password",
      label: "Password",
      autocomplete: "new-password",
      hint,
      problem: problems.password,
    }),
    button(group, "Create the account"),
  ];
  const messages = isFixed && problems.email !== undefined ? [failed(problems.email)] : [];
  return flow({ kind: "registration", nodes, messages });
}
