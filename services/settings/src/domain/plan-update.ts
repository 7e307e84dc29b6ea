import { isDeepStrictEqual } from "node:util";
import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { type SettingProblemCode, settingProblems } from "@appserver/contracts/settings";
import { secretMask } from "./settings-view.ts";
import type { DecodedValue } from "./stored-settings.ts";

/** One broken rule of an update. `field` is the key. Never contains a value. */
export interface SettingViolation {
  readonly field: string;
  readonly code: SettingProblemCode | "UNKNOWN_KEY" | "REQUIRED" | "MASK" | "NOT_AN_OBJECT";
  readonly message: string;
}

/** The changes of a valid update. */
export interface PlannedUpdate {
  readonly sets: readonly { readonly definition: SettingDefinition; readonly value: unknown }[];
  readonly removes: readonly string[];
}

export interface UpdateJudgement {
  readonly violations: readonly SettingViolation[];
  /** Only differences from the stored values. Valid only if there are no violations. */
  readonly update: PlannedUpdate;
}

/**
 * Checks a patch. A key with a value sets it. A key with null removes it, so that its default applies again. Returns all
 * violations (docs/interface/settings.md#updates).
 */
export function planUpdate(
  definitions: readonly SettingDefinition[],
  stored: readonly DecodedValue[],
  patch: unknown,
): UpdateJudgement {
  const violations: SettingViolation[] = [];
  const sets: { definition: SettingDefinition; value: unknown }[] = [];
  const removes: string[] = [];
  const known = new Map(definitions.map((definition) => [definition.key, definition]));
  const before = new Map(stored.map((value) => [value.key, value]));
  const entries = isObject(patch) ? Object.entries(patch) : [];
  if (!isObject(patch))
    violations.push({ field: "settings", code: "NOT_AN_OBJECT", message: "must be an object of keys and values" });
  for (const [key, value] of entries) {
    const definition = known.get(key);
    const current = before.get(key);
    const problems = judge(definition, current, value);
    violations.push(...problems.map((problem) => ({ field: key, ...problem })));
    if (problems.length > 0 || isUnchanged(definition, current, value)) continue;
    if (value === null) removes.push(key);
    else if (definition) sets.push({ definition, value });
  }
  return { violations, update: { sets, removes } };
}

type Problem = Omit<SettingViolation, "field">;

function judge(
  definition: SettingDefinition | undefined,
  current: DecodedValue | undefined,
  value: unknown,
): readonly Problem[] {
  // Values that an earlier schema left may be removed.
  if (!definition) return value === null && current ? [] : [{ code: "UNKNOWN_KEY", message: "is not a setting of the app" }];
  if (value === null) {
    const isNeeded = definition.required && definition.defaultValue === undefined;
    return isNeeded ? [{ code: "REQUIRED", message: "is required and has no default" }] : [];
  }
  if (value === secretMask && isSecret(definition, current))
    return current ? [] : [{ code: "MASK", message: "is the mask of a secret, not a value" }];
  return settingProblems(definition, value);
}

function isUnchanged(definition: SettingDefinition | undefined, current: DecodedValue | undefined, value: unknown): boolean {
  if (value === null) return current === undefined;
  // A form sends back the mask that it displayed.
  if (value === secretMask && isSecret(definition, current)) return true;
  if (!current || current.unreadable !== undefined) return false;
  return current.sealed === (definition?.sensitive ?? false) && isDeepStrictEqual(current.value, value);
}

/** Returns whether the setting is declared as a secret, or an earlier schema stored it as one. */
function isSecret(definition: SettingDefinition | undefined, current: DecodedValue | undefined): boolean {
  return (definition?.sensitive ?? false) || (current?.sealed ?? false);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
