import type { Flow, FlowKind, FlowNode, InputNode, Message } from "@appserver/contracts/sign-in";

export interface FormInput {
  readonly name: string;
  readonly type: "text" | "email" | "password" | "hidden";
  readonly label: string;
  readonly value?: string;
  readonly autocomplete?: string;
  readonly isFixed?: boolean;
  readonly problem?: string | undefined;
  readonly hint?: string;
}

/** Returns a field of a form. */
export function input(group: string, { name, type, label, value, autocomplete, isFixed, problem, hint }: FormInput): InputNode {
  const messages: Message[] = [];
  if (hint !== undefined) messages.push({ id: 1, type: "info", text: hint });
  if (problem !== undefined) messages.push({ id: 2, type: "error", text: problem });
  return {
    type: "input",
    group,
    attributes: {
      name,
      type,
      ...(value !== undefined && { value }),
      ...(autocomplete !== undefined && { autocomplete }),
      ...(isFixed && { disabled: true }),
      required: true,
    },
    messages,
    meta: { label: { text: label } },
  };
}

/** Returns a button, which sends the fields of its group with `name=value`. */
export function button(group: string, label: string, name = "method", value = group): InputNode {
  return { type: "input", group, attributes: { name, type: "submit", value }, messages: [], meta: { label: { text: label } } };
}

export interface FlowParts {
  readonly kind: FlowKind;
  readonly nodes: readonly FlowNode[];
  readonly messages?: readonly Message[];
  readonly state?: string;
}

/** Returns a flow. Nothing is stored of it: a form contains all that its answer needs, so its id is only its name. */
export function flow({ kind, nodes, messages = [], state }: FlowParts): Flow {
  return { id: kind, ...(state !== undefined && { state }), ui: { nodes, messages } };
}

export function failed(text: string): Message {
  return { id: 3, type: "error", text };
}

export function succeeded(text: string): Message {
  return { id: 4, type: "success", text };
}
