import { type SettingTypeName, settingForms } from "./setting-items.ts";

/**
 * Maximum length of a value in an environment variable, in bytes. 64 settings with this length fit into what Linux passes to a
 * program.
 */
export const settingVariableBytes = 16_384;

/** Returns a setting's value in its environment variable (docs/interface/settings.md#environment): strings as they are, else JSON. */
export function variableText(type: SettingTypeName, value: unknown): string {
  const { item, isArray } = settingForms[type];
  return item === "STRING" && !isArray && typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns why the value cannot be passed to a program in the setting's variable, or undefined. */
export function variableProblem(
  { type, env = "" }: { readonly type: SettingTypeName; readonly env?: string | undefined },
  value: unknown,
): string | undefined {
  if (env === "") return undefined;
  const text = variableText(type, value);
  if (text.includes("\u0000")) return `must not contain the character U+0000, because the app gets it in the variable ${env}`;
  if (Buffer.byteLength(text) <= settingVariableBytes) return undefined;
  return `must have at most ${settingVariableBytes} bytes, because the app gets it in the variable ${env}`;
}
