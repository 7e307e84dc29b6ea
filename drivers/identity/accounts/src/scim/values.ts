import { lineProblem } from "@appserver/kernel";
import { type Attribute, attributeOf, named, type ResourceType } from "./attribute.ts";
import { invalid, quoted } from "./scim-error.ts";

export type Simple = string | boolean;
export type Complex = Readonly<Record<string, Simple>>;
export type Value = Simple | Complex | readonly Complex[];
/** What a client says of a resource, by the names of the schema. Attributes without a value are absent. */
export type Values = ReadonlyMap<string, Value>;

const maxText = 256;
const maxElements = 100;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(given: unknown): given is JsonObject {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

/** Returns the value of a member whose name is written in any case. */
export function memberOf(given: JsonObject, name: string): unknown {
  if (Object.hasOwn(given, name)) return given[name];
  return Object.entries(given).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Throws invalidSyntax unless a message or a resource names its schema. */
export function requireSchema(given: JsonObject, schema: string): void {
  const schemas = memberOf(given, "schemas");
  const isNamed = (each: unknown): boolean => typeof each === "string" && each.toLowerCase() === schema.toLowerCase();
  if (!(Array.isArray(schemas) && schemas.some(isNamed))) throw invalid("invalidSyntax", `schemas must contain ${schema}`);
}

/** Returns the JSON object of a body. */
export function objectOf(body: Uint8Array | undefined): JsonObject {
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // Not the parser's message, which quotes the body.
  }
  if (!isObject(given)) throw invalid("invalidSyntax", "the body must be a JSON object in UTF-8");
  return given;
}

/** Returns the values of a resource. What the platform does not have, or sets itself, is left out. */
export function resourceOf(type: ResourceType, given: JsonObject): Values {
  requireSchema(given, type.schema);
  const values = new Map<string, Value>();
  for (const [key, each] of Object.entries(given)) {
    const attribute = attributeOf(type, key);
    if (!attribute || attribute.isReadOnly) continue;
    const value = readValue(attribute, each);
    if (value !== undefined) values.set(attribute.name, value);
  }
  return values;
}

/** Returns the value of an attribute. Undefined for null, an empty text and an empty list, which mean that there is none. */
export function readValue(attribute: Attribute, given: unknown): Value | undefined {
  if (given === null || given === undefined || given === "") return undefined;
  if (attribute.isList) return elementsOf(attribute, given);
  return attribute.type === "complex" ? complexOf(attribute, given) : simpleOf(attribute, given);
}

/** A single element without a list counts as a list of one. */
export function elementsOf(attribute: Attribute, given: unknown): readonly Complex[] {
  if (given === null || given === undefined) return [];
  const elements: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (elements.length > maxElements && attribute.name !== "members")
    throw invalid("invalidValue", `${attribute.name} must have at most ${maxElements} elements`);
  return elements.map((each) => complexOf(attribute, typeof each === "string" ? { value: each } : each));
}

function complexOf(attribute: Attribute, given: unknown): Complex {
  if (!isObject(given)) throw invalid("invalidValue", `${attribute.name} must be an object, got ${quoted(given)}`);
  const entries = Object.entries(given).flatMap(([key, each]): [string, Simple][] => {
    const part = named(attribute.parts, key);
    const value = part && part.type !== "reference" && each !== null && each !== "" ? simpleOf(part, each) : undefined;
    return part && value !== undefined ? [[part.name, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** Entra writes booleans as texts. */
export function simpleOf({ name, type }: Attribute, given: unknown): Simple {
  if (type === "boolean") {
    if (typeof given === "boolean") return given;
    const said = typeof given === "string" ? given.toLowerCase() : undefined;
    if (said === "true" || said === "false") return said === "true";
    throw invalid("invalidValue", `${name} must be true or false, got ${quoted(given)}`);
  }
  const text = typeof given === "number" ? String(given) : given;
  if (typeof text !== "string") throw invalid("invalidValue", `${name} must be a text, got ${quoted(given)}`);
  if (text.length > maxText) throw invalid("invalidValue", `${name} must have at most ${maxText} characters`);
  const problem = lineProblem(text);
  if (problem !== undefined) throw invalid("invalidValue", `${name} ${problem}`);
  return text;
}
