import type { ConditionDefinition } from "./authorization-model.ts";

/** A condition of the model, ready to be asked. */
export interface Condition {
  /** Whether it is met. Throws an Error when a parameter is missing or has a value of another type. */
  isMet(context: Readonly<Record<string, unknown>>): boolean;
  /** What keeps a tuple from fixing these values, or undefined. */
  invalidContext(context: Readonly<Record<string, unknown>>): string | undefined;
}

/** The expression language takes a while to load, so it is loaded only for models that have conditions. */
export async function compileConditions(
  definitions: Readonly<Record<string, ConditionDefinition>>,
): Promise<ReadonlyMap<string, Condition>> {
  const entries = Object.entries(definitions);
  if (entries.length === 0) return new Map();
  const { CelCondition } = await import("./cel-condition.ts");
  return new Map(entries.map(([name, definition]) => [name, new CelCondition(definition)]));
}
