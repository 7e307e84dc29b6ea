import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType, type SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { effectiveDefinitions, settingProblems } from "@appserver/contracts/settings";
import { RE2JS } from "re2js";
import { quote } from "./check-identity.ts";
import type { Violations } from "./violations.ts";

const keyPattern = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const inputTypes = ["text", "password", "textarea", "select", "number", "checkbox", "radio"];
const requiredTypes: ReadonlySet<SettingDataType> = new Set([
  SettingDataType.STRING_REQUIRED,
  SettingDataType.INT_REQUIRED,
  SettingDataType.FLOAT_REQUIRED,
  SettingDataType.BOOL_REQUIRED,
  SettingDataType.JSON_REQUIRED,
]);

/** Types that have a `_REQUIRED` sibling: for these, `required` and the type must agree (design/behaviour "Settings"). */
const optionalTypes: ReadonlySet<SettingDataType> = new Set([
  SettingDataType.STRING,
  SettingDataType.INT,
  SettingDataType.FLOAT,
  SettingDataType.BOOL,
  SettingDataType.JSON,
]);

/** Specification §2.3, SettingDefinition. */
export function checkSettings(manifest: AppManifest, violations: Violations): void {
  const seen = new Set<string>();
  for (const [index, definition] of (manifest.settings?.definitions ?? []).entries()) {
    const field = `settings.definitions[${index}]`;
    violations.check(
      keyPattern.test(definition.key),
      `${field}.key`,
      `must match ${keyPattern.source}, got ${quote(definition.key)}`,
    );
    violations.check(!seen.has(definition.key), `${field}.key`, `${quote(definition.key)} is there twice`);
    seen.add(definition.key);
    checkDefinition(definition, field, violations);
  }
}

function checkDefinition(definition: SettingDefinition, field: string, violations: Violations): void {
  const type = definition.dataType;
  const known = type !== SettingDataType.UNSPECIFIED && SettingDataType[type] !== undefined;
  if (!violations.check(known, `${field}.data_type`, "must be one of the data types of the specification")) return;
  const disagrees = definition.required ? optionalTypes.has(type) : requiredTypes.has(type);
  violations.check(
    !disagrees,
    `${field}.required`,
    `is ${definition.required}, which contradicts the data type ${SettingDataType[type]}`,
  );
  const rulesHold = checkRules(definition, field, violations);
  checkHints(definition, field, violations);
  const text = definition.defaultValue;
  if (text === undefined || !rulesHold) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    violations.add(`${field}.default_value`, "is not JSON");
    return;
  }
  for (const { message } of defaultProblems(definition, value)) violations.add(`${field}.default_value`, message);
}

/** Under its own rules, and under the platform's where it has some for that key. */
function defaultProblems(definition: SettingDefinition, value: unknown) {
  const own = settingProblems(definition, value);
  const holding = effectiveDefinitions([definition]).find(({ key }) => key === definition.key);
  return own.length > 0 || !holding ? own : settingProblems(holding, value);
}

function checkRules(definition: SettingDefinition, field: string, violations: Violations): boolean {
  const rules = definition.validation;
  if (!rules) return true;
  const before = violations.found.length;
  const at = `${field}.validation`;
  violations.check(rules.minLength === undefined || rules.minLength >= 0, `${at}.min_length`, "must not be negative");
  violations.check(
    rules.maxLength === undefined || rules.maxLength >= (rules.minLength ?? 0),
    `${at}.max_length`,
    "must be at least min_length",
  );
  violations.check(
    rules.min === undefined || rules.max === undefined || rules.min <= rules.max,
    `${at}.min`,
    "must be at most max",
  );
  if (rules.pattern !== undefined && rules.pattern !== "") {
    violations.check(
      rules.pattern.length <= 1000 && isRe2(rules.pattern),
      `${at}.pattern`,
      "must be a regular expression in RE2 syntax of at most 1000 characters",
    );
  }
  return violations.found.length === before;
}

function checkHints(definition: SettingDefinition, field: string, violations: Violations): void {
  const type = definition.uiHints?.inputType;
  if (type === undefined || type === "") return;
  violations.check(
    inputTypes.includes(type),
    `${field}.ui_hints.input_type`,
    `must be one of ${inputTypes.join(", ")}, got ${quote(type)}`,
  );
}

function isRe2(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
