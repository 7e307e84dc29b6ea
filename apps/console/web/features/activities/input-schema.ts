import { i18n } from "../../i18n.ts";
import { type Definition, definitionsOf } from "../settings/definition.ts";
import { type Draft, draftOf, entered } from "../settings/draft.ts";

/** What was entered, by the name of the property. A property without a draft is not sent. */
export type Drafts = ReadonlyMap<string, Draft>;

/** Problems by the name of the property. */
export type Problems = ReadonlyMap<string, readonly string[]>;

/** A part of an input that the platform refused. `field` begins with `input`. */
interface Violation {
  readonly field: string;
  readonly message: string;
}

/** The parts of a JSON Schema that become a form. Other parts are checked by the platform alone. */
interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: unknown;
  readonly format?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly minLength?: unknown;
  readonly maxLength?: unknown;
  readonly items?: unknown;
}

/** Returns the fields of an input, or undefined for a schema that does not describe an object: it is entered as JSON. */
export function fieldsOf(schema: unknown): readonly Definition[] | undefined {
  const { properties, required } = asSchema(schema);
  if (!typesOf(schema).includes("object") || !isObject(properties)) return undefined;
  const needed = new Set(Array.isArray(required) ? required : []);
  const definitions = Object.entries(properties).map(([key, property]) => settingOf(key, property, needed.has(key)));
  return definitions.length > 0 ? definitionsOf({ definitions }, []) : undefined;
}

/** Describes a property as a setting, so that it gets the same input. */
function settingOf(key: string, property: unknown, required: boolean) {
  const { title, description, default: value, enum: choices, format, ...rules } = asSchema(property);
  return {
    key,
    data_type: dataTypeOf(property),
    required,
    ...(value !== undefined && { default_value: JSON.stringify(value) }),
    description: [title, description].filter((text) => typeof text === "string").join(": "),
    validation: {
      ...numberOf("min", rules.minimum),
      ...numberOf("max", rules.maximum),
      ...numberOf("min_length", rules.minLength),
      ...numberOf("max_length", rules.maxLength),
      ...(isTexts(choices) && { enum: choices }),
      ...(format === "date" && { pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }),
    },
  };
}

const dataTypes = { string: "STRING", integer: "INT", number: "FLOAT", boolean: "BOOL" } as const;

function dataTypeOf(property: unknown) {
  const { enum: choices, items } = asSchema(property);
  const [type, ...others] = typesOf(property).filter((each) => each !== "null");
  if (others.length > 0 || (choices !== undefined && !(type === "string" && isTexts(choices)))) return "JSON";
  if (type !== "array") return dataTypes[type as keyof typeof dataTypes] ?? "JSON";
  const [item, ...more] = typesOf(items);
  const ofItem = dataTypes[item as keyof typeof dataTypes];
  return ofItem && more.length === 0 ? (`${ofItem}_ARRAY` as const) : "JSON";
}

function typesOf(schema: unknown): readonly unknown[] {
  const { type } = asSchema(schema);
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

function asSchema(schema: unknown): Schema {
  return isObject(schema) ? schema : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function numberOf(name: string, value: unknown): object {
  return typeof value === "number" ? { [name]: value } : {};
}

/** Returns the drafts of an input; those of the defaults for none. Undefined if the fields cannot show it. */
export function draftsOf(fields: readonly Definition[], input: unknown): Drafts | undefined {
  const values = input ?? Object.fromEntries(fields.map((field) => [field.key, field.default]));
  if (!isObject(values)) return undefined;
  const drafts = new Map<string, Draft>();
  for (const [key, value] of Object.entries(values)) {
    const field = fields.find((each) => each.key === key);
    if (!field) return undefined;
    if (value === undefined) continue;
    const draft = draftOf(field, value);
    // A value of another type than the schema has would be lost.
    if (JSON.stringify(enteredValue(field, draft)) !== JSON.stringify(value)) return undefined;
    drafts.set(key, draft);
  }
  return drafts;
}

function enteredValue(field: Definition, draft: Draft): unknown {
  const read = entered(field, draft);
  return "value" in read ? read.value : undefined;
}

/** Returns the input that was entered, or the problems of its properties. An empty field is not sent. */
export function inputOf(
  fields: readonly Definition[],
  drafts: Drafts,
): { readonly input: object } | { readonly problems: Problems } {
  const input: Record<string, unknown> = {};
  const problems = new Map<string, readonly string[]>();
  for (const field of fields) {
    const draft = drafts.get(field.key);
    if (draft === undefined || isEmpty(draft)) {
      if (field.required) problems.set(field.key, [i18n.t("is required")]);
      continue;
    }
    const read = entered(field, draft);
    if ("problems" in read) problems.set(field.key, read.problems);
    else input[field.key] = read.value;
  }
  return problems.size > 0 ? { problems } : { input };
}

function isEmpty(draft: Draft): boolean {
  return (draft.kind === "text" && draft.text.trim() === "") || (draft.kind === "flag" && draft.flag === null);
}

/** Returns what the platform refused, at the fields, and what belongs to none of them. */
export function placed(
  fields: readonly Definition[],
  violations: readonly Violation[],
): { readonly problems: Problems; readonly others: readonly Violation[] } {
  const problems = new Map<string, readonly string[]>();
  const others: Violation[] = [];
  for (const violation of violations) {
    const key = fields.find((field) => concerns(violation, field.key))?.key;
    if (key === undefined) others.push(violation);
    else problems.set(key, [...(problems.get(key) ?? []), textAt(violation, key)]);
  }
  return { problems, others };
}

function concerns({ field, message }: Violation, key: string): boolean {
  if (field === "input") return message.endsWith(`required property '${key}'`);
  const path = field.slice("input.".length);
  return path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
}

/** Names the part of a value that is wrong. */
function textAt({ field, message }: Violation, key: string): string {
  if (field === "input") return i18n.t("is required");
  const part = field.slice(`input.${key}`.length);
  return part === "" ? message : `${part} ${message}`;
}
