import {
  compileExpression,
  type Expression,
  expressionLimits,
  MatchBudget,
  MatchBudgetError,
  quote,
} from "@appserver/contracts/patterns";
import type { Ajv, ErrorObject, SchemaValidateFunction, ValidateFunction } from "ajv";
import { schemaCostProblem } from "./schema-cost.ts";
import { type Dialect, inDialect } from "./schema-drafts.ts";

/** A part of an input that breaks its schema. */
export interface InputViolation {
  /** Starts with `input`. */
  readonly field: string;
  readonly message: string;
}

/** Maximum number of compiled schemas kept. */
const cacheSize = 200;

const violationLimits = { count: 20, fieldLength: 200 } as const;
/** Maximum steps to match one text: some 100 ms. The thread's deadline ends work that takes longer. */
const patternSteps = 8_000_000;

/**
 * JSON Schema by ajv, in the drafts of {@link inDialect}. Patterns match within a budget, `uniqueItems` takes linear time, nothing is
 * fetched, and schemas that cost too much are refused. Schemas that recur through a large input can still be slow: if schema
 * and input both come from outside, use this class in a thread that can be ended.
 */
export class AjvSchemas {
  readonly #compiled = new Map<string, ValidateFunction>();

  /** Returns why the text is not a usable schema; undefined if it is usable. */
  async problem(schema: string): Promise<string | undefined> {
    try {
      await this.#compile(schema);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message.slice(0, 500) : String(error);
    }
  }

  /** Returns the violations of the schema, up to a limit; `input` is JSON. Rejects if the schema cannot be used. */
  async violations(schema: string, input: string): Promise<readonly InputViolation[]> {
    const validate = await this.#compile(schema);
    try {
      return validate(JSON.parse(input)) ? [] : listed(validate.errors ?? []);
    } catch (error) {
      if (error instanceof RangeError) return [{ field: "input", message: "is nested too deeply" }];
      if (error instanceof MatchBudgetError)
        return [{ field: "input", message: "has a text that is too long for the pattern it must match" }];
      throw error;
    }
  }

  async #compile(schema: string): Promise<ValidateFunction> {
    const known = this.#compiled.get(schema);
    if (known) return known;
    const parsed = parseJson(schema);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("must be a JSON object");
    const problem = schemaCostProblem(parsed);
    if (problem !== undefined) throw new Error(problem);
    const { dialect, schema: own } = inDialect(parsed as Readonly<Record<string, unknown>>);
    const compiled = (await newAjv(dialect)).compile(own);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size >= cacheSize && oldest !== undefined) this.#compiled.delete(oldest);
    this.#compiled.set(schema, compiled);
    return compiled;
  }
}

const validators = {
  "draft-07": async () => (await import("ajv")).Ajv,
  "2019-09": async () => (await import("ajv/dist/2019.js")).Ajv2019,
  "2020-12": async () => (await import("ajv/dist/2020.js")).Ajv2020,
} as const;

/** Creates an instance for one schema: schema ids of one app must not conflict with those of another. */
async function newAjv(dialect: Dialect): Promise<Ajv> {
  const options = {
    strict: false,
    inlineRefs: false,
    code: { regExp: patternCompiler() },
    logger: false,
    validateFormats: true,
  } as const;
  const ajv = new (await validators[dialect]())(options);
  const { default: formats } = await import("ajv-formats");
  formats.default(ajv, {
    mode: "fast",
    formats: ["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"],
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", validate: uniqueItems, errors: false });
  return ajv;
}

/** Replaces ajv's check, which compares every pair of items if the schema does not give their type. */
const uniqueItems: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]) =>
  !wanted || new Set(items.map(canonical)).size === items.length;

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/** Compiles patterns for ajv. All patterns of one schema share a budget. */
function patternCompiler(): { (pattern: string): LinearPattern; code: string } {
  let size = 0;
  const compile = (pattern: string): LinearPattern => {
    const expression = compilePattern(pattern);
    size += expression.size;
    if (size > expressionLimits.manifestSize)
      throw new Error(`the patterns have more than ${expressionLimits.manifestSize} instructions together`);
    return {
      test: (text) => expression.matchesPart(text, new MatchBudget(patternSteps)),
      // ajv identifies patterns by their text.
      toString: () => pattern,
    };
  };
  // ajv reads this property only when it writes validators to files, which never happens here.
  return Object.assign(compile, { code: "" });
}

function compilePattern(pattern: string): Expression {
  try {
    return compileExpression(pattern);
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`the pattern ${quote(pattern)} ${error.message}`, { cause: error });
    throw error;
  }
}

function listed(errors: readonly ErrorObject[]): readonly InputViolation[] {
  const { count } = violationLimits;
  const first = errors.slice(0, count).map(toViolation);
  const more = errors.length - first.length;
  return more > 0 ? [...first, { field: "input", message: `and ${more} more violations` }] : first;
}

function toViolation(error: ErrorObject): InputViolation {
  const path = error.instancePath
    .slice(0, violationLimits.fieldLength)
    .replace(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".");
  return { field: `input${path}`, message: (error.message ?? "does not fit the schema").slice(0, 500) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error("is not JSON", { cause: error });
  }
}
