import type { FlowNode } from "@appserver/contracts/sign-in";
import type { StoredPasskey } from "../factors/passkey-table.ts";
import type { FactorsOfPerson } from "../factors/second-factors.ts";
import { passkeyNode } from "./factor-nodes.ts";
import { button, input } from "./form.ts";

/** What the form shows in place of the buttons of a factor. */
export interface ShownFactors {
  readonly totp?: readonly FlowNode[];
  readonly passkey?: readonly FlowNode[];
  /** Recovery codes that were made just now. */
  readonly codes?: readonly string[];
}

const pictureSize = 220;

/** Returns the parts of the settings for second factors and passkeys. */
export function factorNodes(own: FactorsOfPerson, canAddPasskey: boolean, shown: ShownFactors): readonly FlowNode[] {
  return [
    ...(shown.totp ?? totpNodes(own)),
    ...codesNodes(own, shown.codes),
    ...own.passkeys.map(removalNode),
    ...(shown.passkey ?? (canAddPasskey ? [button("passkey", "Add a passkey", "passkey_add", "true")] : [])),
  ];
}

export interface TotpSetup {
  readonly secret: string;
  /** A data URL. */
  readonly picture: string;
  readonly setup: string;
  readonly problem: string | undefined;
}

/** Returns the secret for an authenticator app, and the field for a code that confirms it. */
export function totpSetupNodes({ secret, picture, setup, problem }: TotpSetup): readonly FlowNode[] {
  const group = "totp";
  const label = "Scan this picture with the authenticator app";
  return [
    {
      type: "img",
      group,
      attributes: { id: "totp_picture", src: picture, width: pictureSize, height: pictureSize },
      messages: [],
      meta: { label: { text: label } },
    },
    textNode(group, "totp_secret", "Or enter this secret in the app", secret),
    input(group, { name: "totp_setup_state", type: "hidden", label: "", value: setup }),
    input(group, {
      name: "totp_code",
      type: "text",
      label: "Code that the app shows",
      autocomplete: "one-time-code",
      value: "",
      problem,
    }),
    button(group, "Confirm"),
  ];
}

/** Returns the button that makes a passkey, and a field for its name. */
export function creationNodes(
  { options, setup }: { readonly options: object; readonly setup: string },
  name: string,
): readonly FlowNode[] {
  const group = "passkey";
  return [
    input(group, { name: "passkey_setup_state", type: "hidden", label: "", value: setup }),
    input(group, { name: "passkey_name", type: "text", label: "Name of the passkey", value: name, autocomplete: "off" }),
    passkeyNode("create", "Create the passkey", options),
  ];
}

function totpNodes({ hasTotp }: FactorsOfPerson): readonly FlowNode[] {
  const group = "totp";
  return hasTotp
    ? [button(group, "Remove the authenticator app", "totp_unlink", "true")]
    : [button(group, "Set up an authenticator app", "totp_setup", "true")];
}

function codesNodes(
  { isAsked, recoveryCodeCount }: FactorsOfPerson,
  codes: readonly string[] | undefined,
): readonly FlowNode[] {
  if (!isAsked) return [];
  const group = "lookup_secret";
  const secrets = codes?.map((text) => ({ text }));
  const label = secrets ? "They are shown this once. Store them now" : "Codes that are left";
  return [
    textNode(
      group,
      "lookup_secret_codes",
      label,
      secrets ? secrets.map(({ text }) => text).join(", ") : `${recoveryCodeCount}`,
      secrets,
    ),
    button(group, "Make new recovery codes", "recovery_codes_renew", "true"),
  ];
}

function removalNode({ credentialId, name, createdAt, usedAt }: StoredPasskey): FlowNode {
  const used = usedAt ? `used ${dateOf(usedAt)}` : "not used yet";
  return button("passkey", `Remove: ${name}, added ${dateOf(createdAt)}, ${used}`, "passkey_remove", credentialId);
}

function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function textNode(
  group: string,
  id: string,
  label: string,
  text: string,
  secrets?: readonly { readonly text: string }[],
): FlowNode {
  return {
    type: "text",
    group,
    attributes: { id, text: { text, ...(secrets && { context: { secrets } }) } },
    messages: [],
    meta: { label: { text: label } },
  };
}
