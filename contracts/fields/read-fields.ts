import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";

/** An invalid field with its path: `["web_app", "ui", "mode"]`. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** YAML reads `1.10` and `yes` as other types than text, and would lose how they are written. */
const quoteIt = "write a text in quotes";

/**
 * Converts hand-written fields of a message to protobuf's JSON. Enum values may omit their common prefix
 * (`mode: FEDERATION`). Invalid fields are added to `misfits` and left out of the result.
 */
export function readFields(schema: DescMessage, value: unknown, path: Misfit["path"], misfits: Misfit[]): JsonObject {
  const fields: JsonObject = {};
  if (!isObject(value)) {
    misfits.push({ path, message: `must be a mapping of ${namesOf(schema)}` });
    return fields;
  }
  for (const [key, given] of Object.entries(value)) {
    const at = [...path, key];
    const field = schema.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    if (!field) misfits.push({ path: at, message: `is unknown; the fields here are ${namesOf(schema)}` });
    // `key:` without a value means an absent field, as in protobuf's JSON.
    else if (given !== null) fields[key] = readField(schema, field, given, at, misfits);
  }
  return fields;
}

function readField(schema: DescMessage, field: DescField, given: unknown, path: Misfit["path"], misfits: Misfit[]): JsonValue {
  if (field.fieldKind === "message") return readFields(field.message, given, path, misfits);
  if (field.fieldKind === "map") return readMap(schema, field, given, path, misfits);
  if (field.fieldKind === "list" && field.listKind === "message") {
    if (Array.isArray(given)) return given.map((item, index) => readFields(field.message, item, [...path, index], misfits));
    misfits.push({ path, message: "must be a list" });
    return null;
  }
  const value = field.fieldKind === "enum" ? fullName(field.enum, given) : given;
  const problem = problemOf(schema, field, value);
  if (problem === undefined) return value as JsonValue;
  misfits.push({ path, message: isText(field) && typeof given !== "object" ? `${problem}; ${quoteIt}` : problem });
  return null;
}

/** Reads each entry alone, so that a problem has the path of its entry. */
function readMap(schema: DescMessage, field: DescField, given: unknown, path: Misfit["path"], misfits: Misfit[]): JsonValue {
  if (!isObject(given)) {
    misfits.push({ path, message: "must be a mapping of names to values" });
    return null;
  }
  const entries: JsonObject = {};
  for (const [key, value] of Object.entries(given)) {
    const problem = problemOf(schema, field, { [key]: value });
    if (problem === undefined) entries[key] = value as JsonValue;
    else misfits.push({ path: [...path, key], message: `${problem}; ${quoteIt}` });
  }
  return entries;
}

function isText(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function fullName(type: DescEnum, given: unknown): unknown {
  return typeof given === "string" && !given.startsWith(enumPrefix(type)) ? enumPrefix(type) + given : given;
}

/** Returns the common prefix of an enum's value names: `UI_MODE_` from `UI_MODE_UNSPECIFIED`. */
export function enumPrefix(type: DescEnum): string {
  return (type.value[0]?.name ?? "").replace(/UNSPECIFIED$/, "");
}

/** Returns the reason why protobuf refuses the value, or undefined. Applies protobuf's rules to this field alone. */
function problemOf(schema: DescMessage, field: DescField, value: unknown): string | undefined {
  if (field.fieldKind === "enum") {
    const names = field.enum.values.filter(({ number }) => number !== 0);
    if (names.some(({ name }) => name === value)) return undefined;
    return `must be one of ${names.map(({ name }) => name.slice(enumPrefix(field.enum).length)).join(", ")}`;
  }
  try {
    fromJson(schema, { [field.name]: value as JsonValue });
    return undefined;
  } catch (error) {
    const [, reason] = /from JSON: (.*)/s.exec(error instanceof Error ? error.message : "") ?? [];
    return reason ?? "does not fit";
  }
}

function namesOf(schema: DescMessage): string {
  return schema.fields.map(({ name }) => name).join(", ");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
