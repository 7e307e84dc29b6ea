import type { OptionType } from "./types/option-type.ts";

/** A boolean that chooses between two values of an option: how these were chosen before they had names. */
export interface Switch {
  readonly env: string;
  /** The section of the YAML file that contains {@link yaml}. */
  readonly section: Pick<Section, "yaml" | "aliases">;
  readonly yaml: string;
  /** The value that `true` stands for. */
  readonly on: string;
  /** The value that `false` stands for. */
  readonly off: string;
}

/** One option. Its value is undefined if no value is given and it has no default. */
export interface Option<T = unknown> {
  /** One sentence for the reference page, without a full stop. */
  readonly doc: string;
  readonly type: OptionType<T>;
  /** Environment variable. `<env>_FILE` if the value can be given by file. */
  readonly env?: string;
  /** Other variables for the same option. `env` wins. */
  readonly aliases?: readonly string[];
  /** Command line flag, without `--`. */
  readonly flag?: string;
  /** Key in its section of the YAML file. `<yaml>_file` if the value can be given by file. */
  readonly yaml?: string;
  /** Written as an operator would write it. */
  readonly default?: string;
  /** A missing value is a problem. */
  readonly required?: true;
  /** Never shown. Can also be given by the path of a file. */
  readonly secret?: true;
  /** Also chooses the value. If both are given and disagree, that is a problem. */
  readonly switch?: Switch;
  /** Shown without the password in it. Can also be given by the path of a file. */
  readonly inFile?: true;
}

/** A section of the YAML file and of the reference page. */
export interface Section {
  /** Key in the YAML file. Absent if the file cannot contain any of its options. */
  readonly yaml?: string;
  /** Other keys of the same section. */
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly options: Readonly<Record<string, Option>>;
}

export type Sections = Readonly<Record<string, Section>>;

/** The value of an option. Never undefined if the option is required or has a default. */
export type ValueOf<S> = S extends { readonly type: OptionType<infer T> }
  ? S extends { readonly default: string } | { readonly required: true }
    ? T
    : T | undefined
  : never;

/** Values of one section by option. */
export type SectionValues<S extends Section> = { readonly [Key in keyof S["options"]]: ValueOf<S["options"][Key]> };

/** {@link SectionValues} of which some may be missing or invalid. */
export type FoundSection<S extends Section> = {
  readonly [Key in keyof S["options"]]: ValueOf<S["options"][Key]> | undefined;
};

/** Values by section and option. */
export type Values<S extends Sections> = { readonly [Name in keyof S]: SectionValues<S[Name]> };

/** {@link Values} of which some may be missing or invalid. */
export type FoundValues<S extends Sections> = { readonly [Name in keyof S]: FoundSection<S[Name]> };

/** A problem or warning that a rule over several options reports. */
export interface OptionIssue {
  /** Names of the section and of the option at fault. */
  readonly at: readonly [section: string, option: string];
  /** Completes "expected …". A warning is a sentence by itself. */
  readonly message: string;
  /** A warning does not prevent a start. */
  readonly severity?: "warning";
}

/** The options that a process reads. */
export interface Schema<S extends Sections> {
  /** The command that the schema is for. */
  readonly process: string;
  readonly sections: S;
  /** The process shares no machine with the others: options that only these read are reported as ignored. */
  readonly standsAlone?: true;
  /**
   * Rules over several options. They receive all values that could be read. An issue about an option that already has a
   * problem is dropped.
   */
  readonly rules?: (found: FoundValues<S>) => readonly OptionIssue[];
}

/** Checks a section against its type and keeps its literal types. */
export function defineSection<const S extends Section>(section: S): S {
  return section;
}

/** Checks a schema against its type and keeps its literal types. */
export function defineSchema<const S extends Sections>(schema: Schema<S>): Schema<S> {
  return schema;
}

/** Returns the section with only the given options. */
export function pick<S extends Section, const Key extends keyof S["options"] & string>(
  section: S,
  ...keys: readonly Key[]
): Omit<S, "options"> & { readonly options: Pick<S["options"], Key> } {
  const options = Object.fromEntries(keys.map((key) => [key, section.options[key]])) as Pick<S["options"], Key>;
  return { ...section, options };
}

/** Returns the option as optional and without a default. */
export function optional<const S extends Option>(option: S): Omit<S, "default" | "required"> {
  const { default: _default, required: _required, ...rest } = option;
  return rest;
}
