import type { Flow, FlowNode, Message } from "@appserver/contracts/sign-in";
import type { FactorsOfPerson } from "../factors/second-factors.ts";
import { type CodeProblem, codeNodes } from "./factor-nodes.ts";
import { button, flow, input } from "./form.ts";

interface LoginForm {
  readonly returnTo: string;
  /** Of providers. */
  readonly buttons: readonly FlowNode[];
  readonly passkey: readonly FlowNode[];
  readonly email?: string;
  readonly messages?: readonly Message[];
}

interface ProofForm extends Omit<LoginForm, "email"> {
  readonly hasPassword: boolean;
  readonly factors: FactorsOfPerson;
  readonly codeProblem?: CodeProblem;
}

const group = "password";
const password = { name: "password", type: "password", label: "Password", autocomplete: "current-password" } as const;

/** Returns the form of the sign-in. */
export function loginForm({ returnTo, buttons, passkey, email, messages }: LoginForm): Flow {
  const identifier = input(group, {
    name: "identifier",
    type: "email",
    label: "E-mail address",
    autocomplete: "username",
    ...(email !== undefined && { value: email.slice(0, 254) }),
  });
  const ofPassword = [identifier, input(group, password), button(group, "Sign in")];
  const nodes = [hidden("return_to", returnTo), ...buttons, ...ofPassword, ...passkey];
  return flow({ kind: "login", nodes, ...(messages && { messages }) });
}

/** Returns the form in which a person with a session proves who they are, by any of their factors. */
export function proofForm({ returnTo, buttons, passkey, messages, hasPassword, factors, codeProblem }: ProofForm): Flow {
  const ofPassword = hasPassword ? [input(group, password), button(group, "Continue")] : [];
  const ofAll = [hidden("return_to", returnTo), hidden("refresh", "true")];
  const nodes = [...ofAll, ...buttons, ...ofPassword, ...codeNodes(factors, codeProblem), ...passkey];
  return flow({ kind: "login", nodes, ...(messages && { messages }) });
}

function hidden(name: string, value: string): FlowNode {
  return input("default", { name, type: "hidden", label: "", value });
}
