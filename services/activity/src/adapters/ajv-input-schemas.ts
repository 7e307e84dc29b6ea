import { type FieldViolation, messageOf } from "@appserver/kernel";
import type { Ajv, ErrorObject, SchemaValidateFunction, ValidateFunction } from "ajv";
import { RE2JS } from "re2js";
import type { InputSchemas } from "../ports.ts";

/** Compiled schemas kept at most. */
const cacheSize = 500;

/**
 * JSON Schema by ajv, drafts 07 and 2020-12, safe against schemas and inputs of apps: patterns run in linear time,
 * `uniqueItems` too, and nothing is fetched. Loaded when the first schema is looked at.
 */
export class AjvInputSchemas implements InputSchemas {
  readonly #compiled = new Map<string, ValidateFunction>();

  async problem(schema: string): Promise<string | undefined> {
    try {
      await this.#compile(schema);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  async violations(schema: string, input: unknown): Promise<readonly FieldViolation[]> {
    const validate = await this.#compile(schema);
    try {
      return validate(input) ? [] : (validate.errors ?? []).map(toViolation);
    } catch (error) {
      // Nested deeper than the stack is.
      if (error instanceof RangeError) return [{ field: "input", message: "is nested too deeply" }];
      throw error;
    }
  }

  async #compile(schema: string): Promise<ValidateFunction> {
    const known = this.#compiled.get(schema);
    if (known) return known;
    const parsed: unknown = JSON.parse(schema);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("must be a JSON object");
    const compiled = (await newAjv(parsed)).compile(parsed);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size >= cacheSize && oldest !== undefined) this.#compiled.delete(oldest);
    this.#compiled.set(schema, compiled);
    return compiled;
  }
}

/** One for each schema: ids of one app's schemas must not meet those of another's. */
async function newAjv(schema: object): Promise<Ajv> {
  const declared = (schema as { $schema?: unknown }).$schema;
  const isDraft7 = typeof declared === "string" && declared.includes("draft-07");
  const options = { strict: false, code: { regExp: linearPattern }, logger: false, validateFormats: true } as const;
  const ajv = isDraft7 ? new (await import("ajv")).Ajv(options) : new (await import("ajv/dist/2020.js")).Ajv2020(options);
  const { default: formats } = await import("ajv-formats");
  formats.default(ajv, {
    mode: "fast",
    formats: ["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"],
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: uniqueItems, errors: false });
  return ajv;
}

/** ajv compares every two items where it cannot tell their type from the schema. */
const uniqueItems: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]) =>
  !wanted || new Set(items.map(canonical)).size === items.length;

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** RE2: no pattern takes longer than the text is long. Look-around and back-references make the schema unusable. */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  if (pattern.length > 1000) throw new Error("a pattern must be at most 1000 characters");
  const compiled = RE2JS.compile(pattern);
  // ajv tells patterns apart by their text.
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
}
// ajv asks for it where it writes validators to files, which is never done here.
linearPattern.code = "";

function toViolation(error: ErrorObject): FieldViolation {
  const path = error.instancePath.replace(/\/(\d+)/g, "[$1]").replaceAll("/", ".");
  return { field: `input${path}`, message: error.message ?? "does not fit the schema" };
}
