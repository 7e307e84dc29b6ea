import { SettingDataType, type SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import type { SettingsView } from "../use-cases/context.ts";

/** Name of a data type as the specification writes it: `STRING_REQUIRED`. */
export function dataTypeName(type: SettingDataType): string {
  return SettingDataType[type] ?? "UNSPECIFIED";
}

/** The definitions as the caller may see them: the default of a secret is one. */
export function visibleDefinitions({ definitions, seesSecrets }: SettingsView): readonly SettingDefinition[] {
  if (seesSecrets) return definitions;
  return definitions.map((definition) => {
    if (!definition.sensitive) return definition;
    const { defaultValue: _, ...rest } = definition;
    return rest;
  });
}

/** The schema under the names of specification §2.3, as an `app.yaml` has them. */
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
