import { type ValueSchema, type ValueType, valueTypes } from "@appserver/contracts/api-description";
import { descriptionLimits, type PartBudget } from "./description-limits.ts";
import type { DocumentReferences } from "./document-references.ts";
import { isObject, type JsonObject, own } from "./parse-document.ts";

const propertyName = /^[A-Za-z0-9_.$-]{1,64}$/;
const formatName = /^[A-Za-z0-9-]{1,32}$/;
/** A text that says something to a language model needs spaces, or more characters. */
const enumText = /^[\w.:-]{1,40}$/;

/** Returns whether properties and parameters may have the name. */
export function isValueName(name: unknown): name is string {
  return typeof name === "string" && propertyName.test(name) && name !== "__proto__";
}

/** Reduces the schemas of a document to what values are made of. Texts, defaults, examples and patterns are dropped. */
export class ValueSchemas {
  readonly #references: DocumentReferences;
  readonly #budget: PartBudget;
  /** Those that are being reduced. One that contains itself is any value where it does. */
  readonly #open = new Set<JsonObject>();

  constructor(references: DocumentReferences, budget: PartBudget) {
    this.#references = references;
    this.#budget = budget;
  }

  /** Throws DescriptionProblem if the document has too many parts. */
  reduce(value: unknown, depth = 1): ValueSchema {
    if (depth > descriptionLimits.schemaDepth) return {};
    const schema = this.#references.resolve(value);
    if (!schema || this.#open.has(schema)) return {};
    this.#open.add(schema);
    try {
      return this.#reduced(schema, depth + 1);
    } finally {
      this.#open.delete(schema);
    }
  }

  #reduced(schema: JsonObject, depth: number): ValueSchema {
    const properties = this.#properties(own(schema, "properties"), depth);
    const items = own(schema, "items");
    return withoutAbsent({
      type: typeOf(schema),
      format: textOf(schema, "format", formatName),
      properties,
      required: this.#required(own(schema, "required"), properties),
      additionalProperties: booleanOf(own(schema, "additionalProperties")),
      items: isObject(items) ? this.reduce(items, depth) : undefined,
      enum: this.#enum(schema),
      minimum: numberOf(own(schema, "minimum")),
      maximum: numberOf(own(schema, "maximum")),
      minLength: lengthOf(own(schema, "minLength")),
      maxLength: lengthOf(own(schema, "maxLength")),
      oneOf: this.#alternatives(own(schema, "oneOf"), depth),
      anyOf: this.#alternatives(own(schema, "anyOf"), depth),
      allOf: this.#alternatives(own(schema, "allOf"), depth),
    });
  }

  #properties(declared: unknown, depth: number): ValueSchema["properties"] | undefined {
    if (!isObject(declared)) return undefined;
    const entries = Object.entries(declared);
    this.#budget.spend(entries.length);
    const named = entries.filter(([name]) => isValueName(name));
    return Object.fromEntries(named.map(([name, value]) => [name, this.reduce(value, depth)]));
  }

  #required(declared: unknown, properties: ValueSchema["properties"]): readonly string[] | undefined {
    if (!Array.isArray(declared) || !properties) return undefined;
    this.#budget.spend(declared.length);
    const names = new Set(declared.filter((name) => typeof name === "string" && Object.hasOwn(properties, name)));
    return names.size > 0 ? [...names] : undefined;
  }

  #enum(schema: JsonObject): ValueSchema["enum"] | undefined {
    const constant = own(schema, "const");
    const declared = constant === undefined ? own(schema, "enum") : [constant];
    if (!Array.isArray(declared) || declared.length === 0 || declared.length > descriptionLimits.enumValues) return undefined;
    this.#budget.spend(declared.length);
    return declared.every(isEnumValue) ? declared : undefined;
  }

  #alternatives(declared: unknown, depth: number): readonly ValueSchema[] | undefined {
    if (!Array.isArray(declared) || declared.length === 0 || declared.length > descriptionLimits.alternatives) return undefined;
    return declared.map((each) => this.reduce(each, depth));
  }
}

/** `nullable` is what OpenAPI 3.0 has for the type null. */
function typeOf(schema: JsonObject): ValueSchema["type"] | undefined {
  const declared = own(schema, "type");
  if (isType(declared)) return own(schema, "nullable") === true && declared !== "null" ? [declared, "null"] : declared;
  if (!Array.isArray(declared) || declared.length > valueTypes.length || !declared.every(isType)) return undefined;
  return declared.length > 0 ? [...new Set(declared)] : undefined;
}

function isType(value: unknown): value is ValueType {
  return (valueTypes as readonly unknown[]).includes(value);
}

function isEnumValue(value: unknown): value is string | number | boolean | null {
  if (typeof value === "string") return enumText.test(value);
  return value === null || typeof value === "boolean" || numberOf(value) !== undefined;
}

function textOf(schema: JsonObject, name: string, accepted: RegExp): string | undefined {
  const value = own(schema, name);
  return typeof value === "string" && accepted.test(value) ? value : undefined;
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** `1e999` is Infinity, which JSON does not have. */
function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function lengthOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** Returns the members that have a value. */
export function withoutAbsent<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
