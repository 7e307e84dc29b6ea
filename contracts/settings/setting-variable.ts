import { SettingDataType, type SettingDefinition } from "../generated/proto/appserver/v2/settings_pb.js";

/**
 * Maximum length of a value in an environment variable, in bytes. 64 settings with this length fit into what Linux passes to a
 * program.
 */
export const settingVariableBytes = 16_384;

const textTypes: ReadonlySet<SettingDataType> = new Set([SettingDataType.STRING, SettingDataType.STRING_REQUIRED]);

/** Returns a setting's value in its environment variable (docs/interface/settings.md#environment): strings as they are, else JSON. */
export function settingVariable({ dataType }: Pick<SettingDefinition, "dataType">, value: unknown): string {
  return textTypes.has(dataType) && typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns why the value cannot be passed to a program in the setting's variable, or undefined. */
export function settingVariableProblem(definition: SettingDefinition, value: unknown): string | undefined {
  const { env = "" } = definition;
  if (env === "") return undefined;
  const text = settingVariable(definition, value);
  if (text.includes("\u0000")) return `must not contain the character U+0000, because the app gets it in the variable ${env}`;
  if (Buffer.byteLength(text) <= settingVariableBytes) return undefined;
  return `must have at most ${settingVariableBytes} bytes, because the app gets it in the variable ${env}`;
}
