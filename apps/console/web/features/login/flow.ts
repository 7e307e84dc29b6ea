import type { Flow, FlowNode, InputNode, PasskeyNode } from "@appserver/contracts/sign-in";

export type ButtonNode = InputNode & { readonly attributes: { readonly type: "submit" | "button" } };

export function isButton(node: FlowNode): node is ButtonNode {
  return node.type === "input" && (node.attributes.type === "submit" || node.attributes.type === "button");
}

/** Returns whether a node is shown as a button. */
export function isAction(node: FlowNode): node is ButtonNode | PasskeyNode {
  return isButton(node) || node.type === "passkey";
}

/** Returns the button that sends what a passkey has signed. */
export function buttonOf({ group, attributes, messages, meta }: PasskeyNode, value: string): ButtonNode {
  return { type: "input", group, attributes: { name: attributes.name, type: "submit", value }, messages, meta };
}

/** The nodes that a form shows together, because they are sent together. */
export interface Section {
  readonly group: string;
  readonly nodes: readonly FlowNode[];
}

/** Groups that need a script of Kratos, which the content policy refuses, in flows that name one. */
const withScripts: ReadonlySet<string> = new Set(["webauthn", "passkey"]);
/** Groups in the order of a page. Others follow. */
const order = [
  "identifier_first",
  "profile",
  "password",
  "code",
  "link",
  "totp",
  "passkey",
  "lookup_secret",
  "oidc",
  "sessions",
];
/** Sign-in at other services. */
const external = "oidc";

function rankOf(group: string): number {
  const known = order.indexOf(group);
  return known < 0 ? order.length : known;
}

/** Returns whether the flow offers a method that this page cannot run. */
export function offersSecurityKeys(flow: Flow): boolean {
  return flow.ui.nodes.some((node) => node.type === "input" && needsScript(flow, node));
}

function needsScript({ ui }: Flow, { group }: FlowNode): boolean {
  return withScripts.has(group) && ui.nodes.some(({ type }) => type === "script");
}

/**
 * Returns the visible parts of a flow. What all methods need, such as an address, is part of the first section with a form. Where people
 * sign in, other services come first.
 */
export function sectionsOf(flow: Flow, purpose: "sign-in" | "change"): readonly Section[] {
  const visible = flow.ui.nodes.filter(
    (node) =>
      !needsScript(flow, node) && node.type !== "script" && !(node.type === "input" && node.attributes.type === "hidden"),
  );
  const shared = visible.filter(({ group }) => group === "default");
  const signsIn = purpose === "sign-in";
  const isFirst = (group: string): boolean => signsIn && group === external;
  // Buttons alone, such as "Back", come after what is to be filled in.
  const isAsked = (group: string): boolean => signsIn && visible.some((node) => node.group === group && !isAction(node));
  const groups = [...new Set(visible.map(({ group }) => group))]
    .filter((group) => group !== "default")
    .sort(
      (one, other) =>
        Number(isFirst(other)) - Number(isFirst(one)) ||
        Number(isAsked(other)) - Number(isAsked(one)) ||
        rankOf(one) - rankOf(other),
    );
  const sections = groups.map((group) => ({ group, nodes: visible.filter((node) => node.group === group) }));
  if (shared.length === 0) return sections;
  const first = sections.find(({ group }) => group !== external);
  if (!first) return [{ group: "default", nodes: shared }, ...sections];
  return sections.map((section) => (section === first ? { ...section, nodes: [...shared, ...section.nodes] } : section));
}

/** The values of a flow's inputs, by name. */
export type Values = Readonly<Record<string, string>>;

/** Returns the values that a flow comes with. What was typed before is kept where Kratos sends nothing, except passwords. */
export function valuesOf({ ui }: Flow, typed: Values = {}): Values {
  const values: Record<string, string> = {};
  for (const node of ui.nodes) {
    if (node.type !== "input" || isButton(node)) continue;
    const { name, type, value } = node.attributes;
    const before = type === "password" || type === "hidden" ? "" : (typed[name] ?? "");
    values[name] = value === undefined || value === null || value === "" ? before : String(value);
  }
  return values;
}

/** Returns what a button of a section sends: the values of its group and of all methods, and the button itself. */
export function fieldsOf({ ui }: Flow, button: ButtonNode, values: Values): URLSearchParams {
  const fields = new URLSearchParams();
  for (const node of ui.nodes) {
    if (node.type !== "input" || isButton(node)) continue;
    if (node.group !== "default" && node.group !== button.group) continue;
    const { name, type } = node.attributes;
    fields.set(name, type === "checkbox" ? String(values[name] === "true") : (values[name] ?? ""));
  }
  fields.set(button.attributes.name, String(button.attributes.value ?? ""));
  return fields;
}
