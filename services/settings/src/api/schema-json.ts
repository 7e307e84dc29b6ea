import { SettingDataType, type SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import type { SettingsView } from "../use-cases/context.ts";

/** Returns the name of a data type, for example `STRING_REQUIRED` (docs/interface/settings.md#data-types). */
export function dataTypeName(type: SettingDataType): string {
  return SettingDataType[type] ?? "UNSPECIFIED";
}

/** Returns the definitions that the caller may see. The default of a secret is also a secret. */
export function visibleDefinitions({ definitions, seesSecrets }: SettingsView): readonly SettingDefinition[] {
  if (seesSecrets) return definitions;
  return definitions.map((definition) => {
    if (!definition.sensitive) return definition;
    const { defaultValue: _, ...rest } = definition;
    return rest;
  });
}

/** Returns the schema with the field names of an `app.yaml` (docs/interface/settings.md#declaration). */
export function schemaJson(view: SettingsView): unknown {
  return { definitions: visibleDefinitions(view).map(definitionJson) };
}

function definitionJson({ validation: rules, uiHints: hints, ...definition }: SettingDefinition): unknown {
  return present({
    key: definition.key,
    data_type: dataTypeName(definition.dataType),
    required: definition.required,
    default_value: definition.defaultValue,
    description: definition.description,
    sensitive: definition.sensitive,
    validation:
      rules &&
      present({
        min_length: rules.minLength,
        max_length: rules.maxLength,
        min: rules.min,
        max: rules.max,
        pattern: rules.pattern,
        enum: rules.enum.length > 0 ? rules.enum : undefined,
      }),
    ui_hints:
      hints &&
      present({
        input_type: hints.inputType,
        placeholder: hints.placeholder,
        help_text: hints.helpText,
        multiline: hints.multiline,
        step: hints.step,
        options: hints.options.length > 0 ? hints.options : undefined,
      }),
  });
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
