import type { DefinitionJson } from "./definition.ts";

type Rules = typeof import("./value-rules.ts");

let rules: Rules | undefined;

/** Loads the rules of the server, a large script that the form needs only when a value is checked. Resolves also if it is missing. */
export async function loadRules(): Promise<void> {
  rules ??= await (import("./value-rules.ts") as Promise<Rules | undefined>).catch(() => undefined);
}

/** Returns why the server would refuse a value. Without the rules nothing: then the server says it when the value is saved. */
export function problemsOfValue(declared: DefinitionJson, value: unknown): readonly string[] {
  return rules?.problemsOfValue(declared, value) ?? [];
}
