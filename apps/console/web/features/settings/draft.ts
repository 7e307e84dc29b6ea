import type { SettingItem } from "@appserver/contracts/settings/items";
import { i18n } from "../../i18n.ts";
import { problemsOfValue } from "./check-value.ts";
import type { Definition } from "./definition.ts";

/** An element of a list, or a pair. `id` is of the form only. */
export interface Item {
  readonly id: number;
  readonly key: string;
  readonly text: string;
}

/** What was entered for a setting, as it was typed: also what is not a value yet. */
export type Draft =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "flag"; readonly flag: boolean | null }
  | { readonly kind: "items"; readonly items: readonly Item[] };

let lastId = 0;

export function newItem(key: string, text: string): Item {
  lastId += 1;
  return { id: lastId, key, text };
}

/** Returns how the form shows a value. Undefined: the setting has none, or it is a secret. */
export function draftOf({ type, isArray, isSecret }: Definition, value: unknown): Draft {
  if (isSecret) return { kind: "text", text: "" };
  if (isArray || type === "KVPAIR") {
    const values = Array.isArray(value) ? (value as readonly unknown[]) : [];
    return { kind: "items", items: values.map((each) => itemOf(type, each)) };
  }
  if (type === "BOOL") return { kind: "flag", flag: typeof value === "boolean" ? value : null };
  return { kind: "text", text: value === undefined ? "" : textOf(type, value) };
}

function itemOf(type: SettingItem, value: unknown): Item {
  if (type !== "KVPAIR") return newItem("", textOf(type, value));
  const pair = value as { readonly key: string; readonly value: unknown };
  return newItem(pair.key, JSON.stringify(pair.value));
}

function textOf(type: SettingItem, value: unknown): string {
  if (type === "STRING") return String(value);
  return JSON.stringify(value, undefined, type === "JSON" ? 2 : undefined);
}

/** Returns whether two drafts show the same. */
export function isSameDraft(a: Draft, b: Draft): boolean {
  return shownBy(a) === shownBy(b);
}

function shownBy(draft: Draft): string {
  return JSON.stringify(draft.kind === "items" ? draft.items.map(({ key, text }) => [key, text]) : draft);
}

/** The value of a draft, with null to remove the stored one, or why it is not a value. */
export type Entered = { readonly value: unknown } | { readonly problems: readonly string[] };

/** Returns the value of a draft, checked by the rules of the server. */
export function entered(definition: Definition, draft: Draft): Entered {
  const read = parsed(definition, draft);
  if ("problems" in read) return read;
  if (read.value === null) {
    const isNeeded = definition.required && definition.default === undefined;
    return isNeeded ? { problems: [i18n.t("is required and has no default")] } : read;
  }
  const problems = problemsOfValue(definition.declared, read.value);
  return problems.length > 0 ? { problems } : read;
}

function parsed({ type }: Definition, draft: Draft): Entered {
  if (draft.kind === "flag") return { value: draft.flag };
  if (draft.kind === "text") return type !== "STRING" && draft.text.trim() === "" ? { value: null } : parsers[type](draft.text);
  const values: unknown[] = [];
  const problems: string[] = [];
  for (const [index, { key, text }] of draft.items.entries()) {
    const read = parsers[type](text);
    if ("problems" in read)
      problems.push(...read.problems.map((each) => i18n.t("element {number} {problem}", { number: index + 1, problem: each })));
    else values.push(type === "KVPAIR" ? { key, value: read.value } : read.value);
  }
  return problems.length > 0 ? { problems } : { value: values };
}

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Of a text, or of the value of a pair. */
const parsers: Readonly<Record<SettingItem, (text: string) => Entered>> = {
  STRING: (text) => ({ value: text }),
  INT: (text) => parsedNumber(text, i18n.t("an integer")),
  FLOAT: (text) => parsedNumber(text, "a number"),
  BOOL: (text) => (text.trim() === "" ? { problems: [i18n.t("must be true or false")] } : { value: text.trim() === "true" }),
  JSON: parsedJson,
  KVPAIR: parsedJson,
};

function parsedNumber(text: string, expected: string): Entered {
  return number.test(text.trim()) ? { value: Number(text.trim()) } : { problems: [i18n.t("must be {expected}", { expected })] };
}

function parsedJson(text: string): Entered {
  try {
    return { value: JSON.parse(text.trim()) as unknown };
  } catch (error) {
    return { problems: [i18n.t("is not JSON: {reason}", { reason: error instanceof Error ? error.message : String(error) })] };
  }
}
