import type { SettingDataType } from "../generated/proto/appserver/v2/settings_pb.js";

/** What a value of a setting is, or each element of an array. */
export type SettingItem = "STRING" | "INT" | "FLOAT" | "BOOL" | "JSON" | "KVPAIR";

/** The name of a data type (docs/interface/settings.md#data-types). */
export type SettingTypeName = Exclude<keyof typeof SettingDataType, "UNSPECIFIED">;

export interface SettingForm {
  readonly item: SettingItem;
  readonly isArray: boolean;
}

const one = (item: SettingItem): SettingForm => ({ item, isArray: false });
const several = (item: SettingItem): SettingForm => ({ item, isArray: true });

/** Every data type. What depends on the type of a value is a table over {@link SettingItem}, so that the compiler finds it. */
export const settingForms: Readonly<Record<SettingTypeName, SettingForm>> = {
  STRING: one("STRING"),
  STRING_REQUIRED: one("STRING"),
  INT: one("INT"),
  INT_REQUIRED: one("INT"),
  FLOAT: one("FLOAT"),
  FLOAT_REQUIRED: one("FLOAT"),
  BOOL: one("BOOL"),
  BOOL_REQUIRED: one("BOOL"),
  STRING_ARRAY: several("STRING"),
  INT_ARRAY: several("INT"),
  FLOAT_ARRAY: several("FLOAT"),
  BOOL_ARRAY: several("BOOL"),
  JSON: one("JSON"),
  JSON_REQUIRED: one("JSON"),
  KVPAIR_ARRAY: several("KVPAIR"),
};
