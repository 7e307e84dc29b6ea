import {
  type SettingDataType,
  type SettingDefinition,
  SettingDefinitionSchema,
} from "@appserver/contracts/proto/appserver/v2/settings";
import { create, type MessageInitShape } from "@bufbuild/protobuf";

/** Returns a definition extended by `init`. */
export function definition(
  key: string,
  dataType: SettingDataType,
  init: MessageInitShape<typeof SettingDefinitionSchema> = {},
): SettingDefinition {
  return create(SettingDefinitionSchema, { key, dataType, ...init } as MessageInitShape<typeof SettingDefinitionSchema>);
}
