import { RE2JS } from "re2js";
import { SettingDataType, type SettingDefinition, type ValidationRules } from "../generated/proto/appserver/v2/settings_pb.js";

/** Which rule a value breaks. */
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

/** What is wrong with a value. The message says what was expected and never tells the value. */
export interface SettingProblem {
  readonly code: SettingProblemCode;
  readonly message: string;
}

/** Of one value as JSON, in UTF-16 code units. */
const maxValueLength = 262_144;

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

const types: Readonly<Record<number, { readonly holds: Predicate; readonly expected: string }>> = {
  [SettingDataType.STRING]: { holds: isText, expected: "a string" },
  [SettingDataType.STRING_REQUIRED]: { holds: isText, expected: "a string" },
  [SettingDataType.INT]: { holds: isInteger, expected: "an integer" },
  [SettingDataType.INT_REQUIRED]: { holds: isInteger, expected: "an integer" },
  [SettingDataType.FLOAT]: { holds: isNumber, expected: "a number" },
  [SettingDataType.FLOAT_REQUIRED]: { holds: isNumber, expected: "a number" },
  [SettingDataType.BOOL]: { holds: isBoolean, expected: "true or false" },
  [SettingDataType.BOOL_REQUIRED]: { holds: isBoolean, expected: "true or false" },
  [SettingDataType.STRING_ARRAY]: { holds: arrayOf(isText), expected: "an array of strings" },
  [SettingDataType.INT_ARRAY]: { holds: arrayOf(isInteger), expected: "an array of integers" },
  [SettingDataType.FLOAT_ARRAY]: { holds: arrayOf(isNumber), expected: "an array of numbers" },
  [SettingDataType.BOOL_ARRAY]: { holds: arrayOf(isBoolean), expected: "an array of true and false" },
  [SettingDataType.JSON]: { holds: () => true, expected: "JSON" },
  [SettingDataType.JSON_REQUIRED]: { holds: () => true, expected: "JSON" },
  [SettingDataType.KVPAIR_ARRAY]: { holds: arrayOf(isPair), expected: 'an array of {"key", "value"} objects' },
};

/**
 * Everything that is wrong with a value for a setting; empty when it fits (specification §2.3, ValidationRules). Rules for
 * texts and numbers hold for each element of an array; objects have no rules but their type's.
 */
export function settingProblems(definition: SettingDefinition, value: unknown): readonly SettingProblem[] {
  const type = types[definition.dataType];
  if (!type) return [{ code: "UNKNOWN_TYPE", message: "has an unknown data type" }];
  if (!type.holds(value)) return [{ code: "TYPE", message: `must be ${type.expected}` }];
  if (JSON.stringify(value).length > maxValueLength)
    return [{ code: "TOO_LARGE", message: `must have at most ${maxValueLength} characters as JSON` }];
  const rules = definition.validation;
  if (!rules) return [];
  const found = (Array.isArray(value) ? value : [value]).flatMap((item: unknown) => itemProblems(rules, item));
  // Each rule once, however many elements break it.
  return [...new Map(found.map((problem) => [problem.code, problem])).values()];
}

function itemProblems(rules: ValidationRules, item: unknown): readonly SettingProblem[] {
  if (typeof item === "string") return textProblems(rules, item);
  return typeof item === "number" ? numberProblems(rules, item) : [];
}

function textProblems(rules: ValidationRules, text: string): readonly SettingProblem[] {
  const { minLength, maxLength, pattern } = rules;
  const length = [...text].length;
  const problems: SettingProblem[] = [];
  if (minLength !== undefined && length < minLength)
    problems.push({ code: "MIN_LENGTH", message: `must have at least ${minLength} characters` });
  if (maxLength !== undefined && length > maxLength)
    problems.push({ code: "MAX_LENGTH", message: `must have at most ${maxLength} characters` });
  if (rules.enum.length > 0 && !rules.enum.includes(text))
    problems.push({ code: "ENUM", message: `must be one of ${rules.enum.join(", ")}` });
  if (pattern !== undefined && pattern !== "" && !RE2JS.compile(pattern).matcher(text).find())
    problems.push({ code: "PATTERN", message: `must match ${pattern}` });
  return problems;
}

function numberProblems({ min, max }: ValidationRules, value: number): readonly SettingProblem[] {
  const problems: SettingProblem[] = [];
  if (min !== undefined && value < min) problems.push({ code: "MIN", message: `must be at least ${min}` });
  if (max !== undefined && value > max) problems.push({ code: "MAX", message: `must be at most ${max}` });
  return problems;
}
