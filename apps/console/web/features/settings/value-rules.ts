import { type DeclaredSetting, valueProblems } from "@appserver/contracts/settings/value";
import type { DefinitionJson } from "./definition.ts";

/** Returns why the server would refuse a value of a setting. */
export function problemsOfValue(declared: DefinitionJson, value: unknown): readonly string[] {
  return valueProblems(contractOf(declared), value).map(({ message }) => message);
}

function contractOf({ data_type, validation: rules }: DefinitionJson): DeclaredSetting {
  const present = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value });
  return {
    type: data_type,
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
  };
}
