import { SettingDataType, type SettingDefinition } from "../generated/proto/appserver/v2/settings_pb.js";
import { type SettingTypeName, settingForms } from "./setting-items.ts";
import { type SettingProblem, valueProblems } from "./setting-value.ts";
import { variableText } from "./setting-variable.ts";

/** Returns every problem of a value for a setting as the app declares it, or an empty list (`valueProblems`). */
export function settingProblems({ dataType, env, validation }: SettingDefinition, value: unknown): readonly SettingProblem[] {
  const type = typeNameOf(dataType);
  return type
    ? valueProblems({ type, env, validation }, value)
    : [{ code: "UNKNOWN_TYPE", message: "has an unknown data type" }];
}

/** Returns a setting's value in its environment variable (docs/interface/settings.md#environment). */
export function settingVariable({ dataType }: Pick<SettingDefinition, "dataType">, value: unknown): string {
  return variableText(typeNameOf(dataType) ?? "JSON", value);
}

function typeNameOf(dataType: SettingDataType): SettingTypeName | undefined {
  const name = SettingDataType[dataType];
  return name !== undefined && name in settingForms ? (name as SettingTypeName) : undefined;
}
