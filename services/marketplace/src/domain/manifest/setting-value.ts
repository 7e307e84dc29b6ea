import { SettingDataType, type SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { RE2JS } from "re2js";

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

/** What is wrong with a value for a setting, or undefined (specification §2.3, ValidationRules). */
export function settingValueProblem(definition: SettingDefinition, value: unknown): string | undefined {
  const type = types[definition.dataType];
  if (!type) return "has an unknown data type";
  if (!type.holds(value)) return `must be ${type.expected}`;
  const items = Array.isArray(value) ? value : [value];
  for (const item of items) {
    const problem =
      typeof item === "string"
        ? textProblem(definition, item)
        : typeof item === "number"
          ? numberProblem(definition, item)
          : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function textProblem(definition: SettingDefinition, text: string): string | undefined {
  const rules = definition.validation;
  if (!rules) return undefined;
  const length = [...text].length;
  if (rules.minLength !== undefined && length < rules.minLength) return `must have at least ${rules.minLength} characters`;
  if (rules.maxLength !== undefined && length > rules.maxLength) return `must have at most ${rules.maxLength} characters`;
  if (rules.enum.length > 0 && !rules.enum.includes(text)) return `must be one of ${rules.enum.join(", ")}`;
  if (rules.pattern !== undefined && rules.pattern !== "" && !RE2JS.compile(rules.pattern).matcher(text).find())
    return `must match ${rules.pattern}`;
  return undefined;
}

function numberProblem(definition: SettingDefinition, value: number): string | undefined {
  const rules = definition.validation;
  if (rules?.min !== undefined && value < rules.min) return `must be at least ${rules.min}`;
  if (rules?.max !== undefined && value > rules.max) return `must be at most ${rules.max}`;
  return undefined;
}
