import { compareTexts } from "./canonical.ts";

/**
 * Returns the variables from which `apply` reads the secrets of an app, by their keys: `SECRET_COM_EXAMPLE_LEDGER_API_TOKEN`. Secrets that
 * would have the same variable get a number. `taken`: how often each name occurs among the apps before.
 */
export function secretVariables(
  appName: string,
  keys: readonly string[],
  taken: Map<string, number>,
): Readonly<Record<string, string>> {
  const named = [...keys].sort(compareTexts).map((key) => {
    const name = `SECRET_${variableText(appName)}_${variableText(key)}`;
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return [key, count === 1 ? name : `${name}__${count}`] as const;
  });
  return Object.fromEntries(named);
}

function variableText(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}
