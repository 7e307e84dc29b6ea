import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import { compileExpression, problemOf, quote } from "@appserver/contracts/patterns";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType, type SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { effectiveDefinitions, settingProblems } from "@appserver/contracts/settings";
import type { ExpressionBudget } from "./expression-budget.ts";
import type { Violations } from "./violations.ts";

const keyPattern = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const inputTypes = ["text", "password", "textarea", "select", "number", "checkbox", "radio"];

/** Checks the setting definitions (docs/interface/manifest.md#settings). */
export function checkSettings(manifest: AppManifest, budget: ExpressionBudget, violations: Violations): void {
  const seen = new Set<string>();
  for (const [index, definition] of (manifest.settings?.definitions ?? []).entries()) {
    const field = `settings.definitions[${index}]`;
    violations.check(
      keyPattern.test(definition.key),
      `${field}.key`,
      `must match ${keyPattern.source}, got ${quote(definition.key)}`,
    );
    violations.check(!seen.has(definition.key), `${field}.key`, `${quote(definition.key)} is declared twice`);
    seen.add(definition.key);
    checkDefinition(definition, field, budget, violations);
  }
}

function checkDefinition(definition: SettingDefinition, field: string, budget: ExpressionBudget, violations: Violations): void {
  const type = definition.dataType;
  const known = type !== SettingDataType.UNSPECIFIED && SettingDataType[type] !== undefined;
  if (!violations.check(known, `${field}.data_type`, "must be a known data type of settings")) return;
  violations.check(
    requirementAgrees(definition),
    `${field}.required`,
    `is ${definition.required}, which contradicts the data type ${SettingDataType[type]}`,
  );
  const rulesHold = checkRules(definition, field, budget, violations);
  checkHints(definition, field, violations);
  const text = definition.defaultValue;
  if (text === undefined || !rulesHold) return;
  if (!checkSensitiveDefault(definition, field, violations)) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    violations.add(`${field}.default_value`, "is not JSON");
    return;
  }
  if (!violations.check(inexactNumberPath(text) === undefined, `${field}.default_value`, inexactNumberProblem)) return;
  for (const { message } of defaultProblems(definition, value)) violations.add(`${field}.default_value`, message);
}

/** Compares `required` with the type, if the type has two forms: `INT` and `INT_REQUIRED` (docs/interface/settings.md#data-types). */
function requirementAgrees({ dataType, required }: SettingDefinition): boolean {
  const name = SettingDataType[dataType];
  return required ? !(`${name}_REQUIRED` in SettingDataType) : !name.endsWith("_REQUIRED");
}

/**
 * Refuses defaults of sensitive settings. Manifests are stored, signed and displayed in plain text, so every reader would see a
 * secret.
 */
function checkSensitiveDefault({ sensitive, defaultValue }: SettingDefinition, field: string, violations: Violations): boolean {
  const isEmpty = ["", '""', "null"].includes((defaultValue ?? "").trim());
  const message = "must be absent: the setting is sensitive, and a manifest is stored in plain text";
  return violations.check(!sensitive || isEmpty, `${field}.default_value`, message);
}

/** Checks the default against the definition's own rules, then against the platform's rules for that key, if it has any. */
function defaultProblems(definition: SettingDefinition, value: unknown) {
  const own = settingProblems(definition, value);
  const holding = effectiveDefinitions([definition]).find(({ key }) => key === definition.key);
  return own.length > 0 || !holding ? own : settingProblems(holding, value);
}

function checkRules(definition: SettingDefinition, field: string, budget: ExpressionBudget, violations: Violations): boolean {
  const rules = definition.validation;
  if (!rules) return true;
  const before = violations.count;
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
  const { pattern = "" } = rules;
  if (pattern !== "" && budget.take(pattern, `${at}.pattern`, violations))
    violations.none(
      problemOf(() => compileExpression(pattern)),
      `${at}.pattern`,
    );
  return violations.count === before;
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
