import type { FlowNode } from "@appserver/contracts/sign-in";
import type { Passkeys } from "../factors/passkeys.ts";
import { relyingPartyOf } from "../factors/relying-party.ts";
import type { FactorsOfPerson } from "../factors/second-factors.ts";
import type { FlowRequest } from "./flow-request.ts";
import { button, input } from "./form.ts";

/** A button for a passkey, and what the browser keeps of its challenge. */
export interface PasskeyButton {
  readonly nodes: readonly FlowNode[];
  readonly challenge?: string;
}

/** Returns the button of a passkey; nothing where browsers use none. With a person's factors only their passkeys of this host are asked for. */
export async function passkeyButton(
  passkeys: Passkeys,
  { origin, challenge: kept }: Pick<FlowRequest, "origin" | "challenge">,
  factors?: FactorsOfPerson,
): Promise<PasskeyButton> {
  const party = relyingPartyOf(origin);
  const own = factors?.passkeys.filter(({ rpId }) => rpId === party?.id);
  if (!party || own?.length === 0) return { nodes: [] };
  const { challenge, kept: next } = await passkeys.challengeOf(kept);
  const options = passkeys.requestOptions(party, challenge, own);
  const label = own ? "Use a passkey" : "Sign in with a passkey";
  return { nodes: [passkeyNode("get", label, options)], challenge: next };
}

export function passkeyNode(ceremony: "create" | "get", label: string, options: object): FlowNode {
  const group = "passkey";
  return {
    type: "passkey",
    group,
    attributes: { name: group, ceremony, options },
    messages: [],
    meta: { label: { text: label } },
  };
}

/** What was wrong with a code, by its method. */
export interface CodeProblem {
  readonly method: string;
  readonly text: string;
}

/** Returns the fields for the codes of a person. */
export function codeNodes({ hasTotp, recoveryCodeCount }: FactorsOfPerson, problem?: CodeProblem): readonly FlowNode[] {
  const problemOf = (method: string) => (problem?.method === method ? problem.text : undefined);
  const [totp, lookup] = ["totp", "lookup_secret"];
  const code = {
    name: "totp_code",
    type: "text",
    label: "Code of the authenticator app",
    autocomplete: "one-time-code",
  } as const;
  const recovery = { name: lookup, type: "text", label: "Recovery code", autocomplete: "off" } as const;
  return [
    ...(hasTotp ? [input(totp, { ...code, problem: problemOf("totp") }), button(totp, "Continue")] : []),
    ...(recoveryCodeCount > 0
      ? [input(lookup, { ...recovery, problem: problemOf("recovery_code") }), button(lookup, "Use the recovery code")]
      : []),
  ];
}
