import type { ValidationRules } from "../generated/proto/appserver/v2/settings_pb.js";
import { characterCount } from "../patterns/character-count.ts";
import { compileExpression, type Expression, MatchBudget, MatchBudgetError } from "../patterns/compile-expression.ts";
import type { SettingTypeName } from "./setting-items.ts";
import { variableProblem } from "./setting-variable.ts";

/** The rule that a value breaks. */
export type SettingProblemCode =
  | "TYPE"
  | "MIN_LENGTH"
  | "MAX_LENGTH"
  | "MIN"
  | "MAX"
  | "ENUM"
  | "PATTERN"
  | "TOO_LARGE"
  | "UNKNOWN_TYPE";

/** A problem of a value. The message names the expected form and never contains the value. */
export interface SettingProblem {
  readonly code: SettingProblemCode;
  readonly message: string;
}

/** Limits of one value: length as JSON in UTF-16 code units, and levels of arrays and objects. */
const maxValueLength = 262_144;
const maxDepth = 64;

/** Maximum cost of matching a value against its pattern: less than 1 ms, more only if the match needs a simulation. */
const maxPatternSteps = 65_536;
const maxCompiled = 1_000;

/** Compiled patterns. They are cached because values are checked whenever settings are read. */
const compiled = new Map<string, Expression>();

type Predicate = (value: unknown) => boolean;

const isText: Predicate = (value) => typeof value === "string";
const isInteger: Predicate = (value) => Number.isSafeInteger(value);
const isNumber: Predicate = (value) => typeof value === "number" && Number.isFinite(value);
const isBoolean: Predicate = (value) => typeof value === "boolean";
const isPair: Predicate = (value) =>
  typeof value === "object" &&
  value !== null &&
  isText((value as { key?: unknown }).key) &&
  "value" in value &&
  Object.keys(value).length === 2;

function arrayOf(item: Predicate): Predicate {
  return (value) => Array.isArray(value) && value.every(item);
}

interface ValueType {
  readonly holds: Predicate;
  readonly expected: string;
}

const types: Readonly<Record<SettingTypeName, ValueType>> = {
  STRING: { holds: isText, expected: "a string" },
  STRING_REQUIRED: { holds: isText, expected: "a string" },
  INT: { holds: isInteger, expected: "an integer" },
  INT_REQUIRED: { holds: isInteger, expected: "an integer" },
  FLOAT: { holds: isNumber, expected: "a number" },
  FLOAT_REQUIRED: { holds: isNumber, expected: "a number" },
  BOOL: { holds: isBoolean, expected: "true or false" },
  BOOL_REQUIRED: { holds: isBoolean, expected: "true or false" },
  STRING_ARRAY: { holds: arrayOf(isText), expected: "an array of strings" },
  INT_ARRAY: { holds: arrayOf(isInteger), expected: "an array of integers" },
  FLOAT_ARRAY: { holds: arrayOf(isNumber), expected: "an array of numbers" },
  BOOL_ARRAY: { holds: arrayOf(isBoolean), expected: "an array of true and false" },
  JSON: { holds: () => true, expected: "JSON" },
  JSON_REQUIRED: { holds: () => true, expected: "JSON" },
  KVPAIR_ARRAY: { holds: arrayOf(isPair), expected: 'an array of {"key", "value"} objects' },
};

/** What the check of a value needs of its setting. */
export interface DeclaredSetting {
  readonly type: SettingTypeName;
  readonly env?: string | undefined;
  readonly validation?: Omit<ValidationRules, `$${string}`> | undefined;
}

/**
 * Returns every problem of a value for a setting, or an empty list (docs/interface/settings.md#validation).
 * Rules for texts and numbers apply to each element of an array. For objects only the type is checked. It loads no protocol buffers,
 * so that browsers can check what they are about to send.
 */
export function valueProblems(setting: DeclaredSetting, value: unknown): readonly SettingProblem[] {
  const type = types[setting.type];
  if (!type.holds(value)) return [{ code: "TYPE", message: `must be ${type.expected}` }];
  if (isDeep(value)) return [{ code: "TOO_LARGE", message: `must have at most ${maxDepth} levels of arrays and objects` }];
  if (isLong(value)) return [{ code: "TOO_LARGE", message: `must have at most ${maxValueLength} characters as JSON` }];
  const tooLarge = variableProblem(setting, value);
  if (tooLarge !== undefined) return [{ code: "TOO_LARGE", message: tooLarge }];
  const rules = setting.validation;
  if (!rules) return [];
  const judged: TextRules = { ...rules, enum: new Set(rules.enum), budget: new MatchBudget(maxPatternSteps) };
  // Each rule is reported once, even if several elements break it.
  const found = new Map<SettingProblemCode, SettingProblem>();
  for (const item of Array.isArray(value) ? value : [value])
    for (const problem of itemProblems(judged, item)) found.set(problem.code, problem);
  return [...found.values()];
}

/** Avoids the slow conversion of a long text to JSON where possible: one character takes at most six characters in JSON. */
function isLong(value: unknown): boolean {
  return (
    !(typeof value === "string" && 6 * value.length + 2 <= maxValueLength) && JSON.stringify(value).length > maxValueLength
  );
}

/** Returns whether arrays and objects are nested too deeply. */
function isDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < maxDepth; depth += 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** The rules of one value. All its texts share the budget. */
interface TextRules extends Omit<ValidationRules, "enum" | `$${string}`> {
  readonly enum: ReadonlySet<string>;
  readonly budget: MatchBudget;
}

function itemProblems(rules: TextRules, item: unknown): readonly SettingProblem[] {
  if (typeof item === "string") return textProblems(rules, item);
  return typeof item === "number" ? numberProblems(rules, item) : [];
}

function textProblems(rules: TextRules, text: string): readonly SettingProblem[] {
  const { minLength, maxLength, pattern } = rules;
  const length = minLength === undefined && maxLength === undefined ? 0 : characterCount(text);
  const problems: SettingProblem[] = [];
  if (minLength !== undefined && length < minLength)
    problems.push({ code: "MIN_LENGTH", message: `must have at least ${minLength} characters` });
  if (maxLength !== undefined && length > maxLength)
    problems.push({ code: "MAX_LENGTH", message: `must have at most ${maxLength} characters` });
  if (rules.enum.size > 0 && !rules.enum.has(text))
    problems.push({ code: "ENUM", message: `must be one of ${listed([...rules.enum])}` });
  const problem = pattern === undefined || pattern === "" ? undefined : patternProblem(pattern, text, rules.budget);
  if (problem !== undefined) problems.push({ code: "PATTERN", message: problem });
  return problems;
}

function listed(values: readonly string[]): string {
  const text = values.slice(0, 20).join(", ");
  return values.length > 20 || text.length > 200 ? `${text.slice(0, 200)} …` : text;
}

function patternProblem(pattern: string, text: string, budget: MatchBudget): string | undefined {
  try {
    return expressionOf(pattern).matchesPart(text, budget) ? undefined : `must match ${pattern}`;
  } catch (error) {
    if (error instanceof MatchBudgetError) return `must match ${pattern}, and is too long to be matched`;
    throw error;
  }
}

function expressionOf(pattern: string): Expression {
  const known = compiled.get(pattern);
  if (known) return known;
  const expression = compileExpression(pattern);
  const [oldest] = compiled.keys();
  if (compiled.size >= maxCompiled && oldest !== undefined) compiled.delete(oldest);
  compiled.set(pattern, expression);
  return expression;
}

function numberProblems({ min, max }: Pick<ValidationRules, "min" | "max">, value: number): readonly SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (min !== undefined && value < min) problems.push({ code: "MIN", message: `must be at least ${min}` });
  if (max !== undefined && value > max) problems.push({ code: "MAX", message: `must be at most ${max}` });
  return problems;
}
