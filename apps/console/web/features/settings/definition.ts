import { type SettingItem, type SettingTypeName, settingForms } from "@appserver/contracts/settings/items";

/** The schema of a setting as the platform returns it (docs/interface/settings.md#declaration). */
export interface DefinitionJson {
  readonly key: string;
  readonly data_type: SettingTypeName;
  readonly required?: boolean;
  readonly default_value?: string;
  readonly description?: string;
  readonly sensitive?: boolean;
  readonly validation?: {
    readonly min_length?: number;
    readonly max_length?: number;
    readonly min?: number;
    readonly max?: number;
    readonly pattern?: string;
    readonly enum?: readonly string[];
  };
  readonly ui_hints?: {
    readonly input_type?: string;
    readonly placeholder?: string;
    readonly help_text?: string;
    readonly multiline?: boolean;
    readonly step?: number;
    readonly options?: readonly string[];
  };
}

/** What the form needs about a setting. */
export interface Definition {
  readonly key: string;
  /** Of the value, or of each element if `isArray`. */
  readonly type: SettingItem;
  readonly isArray: boolean;
  readonly required: boolean;
  readonly description: string;
  /** Write-only. */
  readonly isSecret: boolean;
  /** Undefined: the setting has no default. */
  readonly default: unknown;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly step: number | undefined;
  readonly pattern: string | undefined;
  /** Values to choose from. */
  readonly choices: readonly string[];
  readonly inputType: string | undefined;
  readonly isMultiline: boolean;
  readonly placeholder: string | undefined;
  readonly help: string | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  /** For the checks that the console shares with the server. */
  readonly declared: DefinitionJson;
}

/** Returns the definitions of a schema. `secrets`: keys that are stored as secrets, which earlier versions may have declared. */
export function definitionsOf(schema: unknown, secrets: readonly string[]): readonly Definition[] {
  const { definitions } = schema as { readonly definitions: readonly DefinitionJson[] };
  return definitions.map((json) => definitionOf(json, secrets.includes(json.key)));
}

function definitionOf(json: DefinitionJson, isStoredSecret: boolean): Definition {
  const { validation: rules = {}, ui_hints: hints = {} } = json;
  const { item, isArray } = settingForms[json.data_type];
  const choices = rules.enum?.length ? rules.enum : (hints.options ?? []);
  return {
    key: json.key,
    type: item,
    isArray,
    required: json.required ?? false,
    description: json.description ?? "",
    isSecret: (json.sensitive ?? false) || isStoredSecret,
    default: json.default_value === undefined ? undefined : JSON.parse(json.default_value),
    min: rules.min,
    max: rules.max,
    step: hints.step,
    pattern: rules.pattern,
    choices,
    inputType: hints.input_type,
    isMultiline: hints.multiline ?? false,
    placeholder: hints.placeholder,
    help: hints.help_text,
    minLength: rules.min_length,
    maxLength: rules.max_length,
    declared: json,
  };
}

/** Patterns of dates: a text with one of them is entered in a date field. */
const datePatterns: ReadonlySet<string> = new Set([
  String.raw`^\d{4}-\d{2}-\d{2}$`,
  String.raw`^\d\d\d\d-\d\d-\d\d$`,
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
]);
const maxSteps = 1_000;
const maxRadios = 10;

export type Control =
  | "secret"
  | "checkbox"
  | "radio"
  | "select"
  | "choices"
  | "list"
  | "pairs"
  | "slider"
  | "number"
  | "json"
  | "textarea"
  | "date"
  | "password"
  | "text";

/** Returns the input in which the setting is entered, from its type, its rules and its hints. */
export function controlOf(definition: Definition): Control {
  const { type, isArray, isSecret, choices } = definition;
  if (isSecret) return "secret";
  if (isArray && type !== "KVPAIR") return type === "STRING" && choices.length > 0 ? "choices" : "list";
  return controls[type](definition);
}

const controls: Readonly<Record<SettingItem, (definition: Definition) => Control>> = {
  STRING: (definition) => choiceControl(definition) ?? textControl(definition),
  INT: (definition) => choiceControl(definition) ?? numberControl(definition),
  FLOAT: (definition) => choiceControl(definition) ?? numberControl(definition),
  BOOL: ({ inputType }) => (inputType === "radio" || inputType === "select" ? "radio" : "checkbox"),
  JSON: () => "json",
  KVPAIR: () => "pairs",
};

function choiceControl({ choices, inputType }: Definition): Control | undefined {
  if (choices.length === 0) return undefined;
  return inputType === "radio" && choices.length <= maxRadios ? "radio" : "select";
}

function numberControl({ min, max, step }: Definition): Control {
  const hasSteps = min !== undefined && max !== undefined && step !== undefined && step > 0 && max > min;
  return hasSteps && (max - min) / step <= maxSteps ? "slider" : "number";
}

function textControl({ isMultiline, inputType, pattern }: Definition): Control {
  if (isMultiline || inputType === "textarea") return "textarea";
  if (inputType === "password") return "password";
  return pattern !== undefined && datePatterns.has(pattern) ? "date" : "text";
}
