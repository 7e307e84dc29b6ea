import {
  SettingDataType,
  type SettingDefinition,
  SettingDefinitionSchema,
} from "@appserver/contracts/proto/appserver/v2/settings";
import { settingProblems } from "@appserver/contracts/settings";
import { create } from "@bufbuild/protobuf";
import type { DefinitionJson } from "./definition.ts";

/** Returns why the server would refuse a value of a setting. */
export function problemsOfValue(declared: DefinitionJson, value: unknown): readonly string[] {
  return settingProblems(contractOf(declared), value).map(({ message }) => message);
}

function contractOf({ key, data_type, validation: rules }: DefinitionJson): SettingDefinition {
  const present = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value });
  return create(SettingDefinitionSchema, {
    key,
    dataType: SettingDataType[data_type],
    ...(rules && {
      validation: {
        ...present("minLength", rules.min_length),
        ...present("maxLength", rules.max_length),
        ...present("min", rules.min),
        ...present("max", rules.max),
        ...present("pattern", rules.pattern),
        enum: [...(rules.enum ?? [])],
      },
    }),
  });
}
