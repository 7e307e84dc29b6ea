import type { SettingType } from "./types/setting-type.ts";

/** One thing that can be configured. Its value is undefined where nothing is given and there is no default. */
export interface Setting<T = unknown> {
  /** One sentence for the reference page, without a full stop. */
  readonly doc: string;
  readonly type: SettingType<T>;
  /** Environment variable; `<env>_FILE` where it can be given by file. */
  readonly env?: string;
  /** Further variables that mean the same; `env` wins. */
  readonly aliases?: readonly string[];
  /** Command line flag, without `--`. */
  readonly flag?: string;
  /** Key in its section of the YAML file; `<yaml>_file` where it can be given by file. */
  readonly yaml?: string;
  /** As an operator would write it. */
  readonly default?: string;
  /** Not given is a problem. */
  readonly required?: true;
  /** Never shown; can also be given by the path of a file. */
  readonly secret?: true;
  /** Shown but for a password in it, and can also be given by the path of a file. */
  readonly inFile?: true;
}

/** A section of the YAML file and of the reference page. */
export interface Section {
  /** Key in the YAML file; absent where nothing of it can be there. */
  readonly yaml?: string;
  /** Other keys of the same section. */
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly settings: Readonly<Record<string, Setting>>;
}

export type Sections = Readonly<Record<string, Section>>;

/** The value of a setting: never undefined where it has a default or must be given. */
export type ValueOf<S> = S extends { readonly type: SettingType<infer T> }
  ? S extends { readonly default: string } | { readonly required: true }
    ? T
    : T | undefined
  : never;

/** Values of one section, by setting. */
export type SectionValues<S extends Section> = { readonly [Key in keyof S["settings"]]: ValueOf<S["settings"][Key]> };

/** As {@link SectionValues}, while something may be missing or wrong. */
export type FoundSection<S extends Section> = {
  readonly [Key in keyof S["settings"]]: ValueOf<S["settings"][Key]> | undefined;
};

/** Values by section and setting. */
export type Values<S extends Sections> = { readonly [Name in keyof S]: SectionValues<S[Name]> };

/** As {@link Values}, while something may be missing or wrong. */
export type FoundValues<S extends Sections> = { readonly [Name in keyof S]: FoundSection<S[Name]> };

/** What a rule over several settings finds wrong or odd. */
export interface Finding {
  /** The setting at fault, as the name of its section and of itself. */
  readonly at: readonly [section: string, setting: string];
  /** Completes "expected …" or, for a warning, stands on its own. */
  readonly says: string;
  /** A warning does not keep the process from starting. */
  readonly severity?: "warning";
}

/** What a process reads. */
export interface Schema<S extends Sections> {
  /** The command that it is for. */
  readonly process: string;
  readonly sections: S;
  /** Rules over several settings. They see whatever could be read; a finding about a setting already at fault is dropped. */
  readonly rules?: (found: FoundValues<S>) => readonly Finding[];
}

/** Holds a section to its type and keeps what is known of each setting. */
export function defineSection<const S extends Section>(section: S): S {
  return section;
}

/** Holds a schema to its type and keeps what is known of each setting. */
export function defineSchema<const S extends Sections>(schema: Schema<S>): Schema<S> {
  return schema;
}

/** The section with some of its settings only. */
export function pick<S extends Section, const Key extends keyof S["settings"] & string>(
  section: S,
  ...keys: readonly Key[]
): Omit<S, "settings"> & { readonly settings: Pick<S["settings"], Key> } {
  const settings = Object.fromEntries(keys.map((key) => [key, section.settings[key]])) as Pick<S["settings"], Key>;
  return { ...section, settings };
}

/** The setting as one that need not be given and has no default. */
export function optional<const S extends Setting>(setting: S): Omit<S, "default" | "required"> {
  const { default: _default, required: _required, ...rest } = setting;
  return rest;
}
