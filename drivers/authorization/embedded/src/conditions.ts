import type { ConditionDefinition } from "./authorization-model.ts";
import type { Condition } from "./condition.ts";

/** Compiles conditions. The expression language loads slowly, so it is loaded only for models with conditions. */
export async function compileConditions(
  definitions: Readonly<Record<string, ConditionDefinition>>,
): Promise<ReadonlyMap<string, Condition>> {
  const entries = Object.entries(definitions);
  if (entries.length === 0) return new Map();
  const { CelCondition } = await import("./cel-condition.ts");
  return new Map(entries.map(([name, definition]) => [name, new CelCondition(definition)]));
}
