import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { findGiven, type Given, mayBeInFile, type Origin, type Sources } from "./given-values.ts";
import { readYaml, yamlLookup } from "./read-yaml.ts";
import type { FoundValues, Option, OptionIssue, Schema, Section, Sections, Values } from "./schema.ts";
import type { OptionType, Reading } from "./types/option-type.ts";
import { ignoredNames, type KnownNames, unknownFlags, unknownVariables, unknownYaml } from "./unknown-names.ts";

/** One option in a form that can be shown: secrets are masked. */
export interface OptionReport {
  readonly section: string;
  /** The YAML key, or the flag if there is no key. */
  readonly name: string;
  readonly shown: string;
  readonly origin: Origin;
}

export interface Configuration<S extends Sections> {
  /** Frozen recursively. */
  readonly values: Values<S>;
  readonly options: readonly OptionReport[];
  /** Unusual options that do not prevent a start. */
  readonly warnings: readonly string[];
  /**
   * The environment, completed by the values of flags, of the YAML file and of secret files, each under the name of its
   * variable. Containers get a part of it (docs/interface/containers.md#environment).
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Entry {
  readonly sectionName: string;
  readonly section: Section;
  readonly key: string;
  readonly option: Option;
  readonly value: unknown;
  readonly shown: string;
  readonly origin: Origin;
  readonly given?: Given;
  readonly problem?: ConfigProblem;
}

/**
 * Reads the configuration of a process: flags win over the environment, the environment over the YAML file, the file over
 * defaults. Throws {@link ConfigError} with all problems at once.
 *
 * `known` lists the options of the whole platform. One file and one environment can serve all processes, so only names that no
 * process uses are reported.
 */
export function readConfiguration<S extends Sections>(
  schema: Schema<S>,
  sources: Sources,
  known: KnownNames = { sections: [] },
): Configuration<S> {
  const { environment = {} } = sources;
  const file = sources.flags?.["config"] === undefined ? undefined : String(sources.flags["config"]);
  const yaml = file === undefined ? undefined : readYaml(file, sources.readFile);
  const everything: KnownNames = { ...known, sections: [...known.sections, ...Object.values(schema.sections)] };
  const entries = Object.entries(schema.sections).flatMap(([sectionName, section]) =>
    Object.entries(section.options).map(([key, option]) =>
      readEntry({ sectionName, section, key, option }, { ...sources, yaml: yamlLookup(yaml, file ?? "") }),
    ),
  );
  const values = valuesOf(entries) as FoundValues<S>;
  const issues = schema.rules?.(values) ?? [];
  const problems = [
    ...unknownFlags(sources.flags ?? {}, schema.process, schema.sections),
    ...(yaml?.problems ?? []),
    ...(yaml ? unknownYaml(yaml, everything.sections, file ?? "") : []),
    ...entries.flatMap(({ problem }) => problem ?? []),
    ...issues.flatMap((issue) => toProblem(issue, entries)),
  ];
  if (problems.length > 0) throw ConfigError.of(problems);
  return {
    values: deepFreeze(values) as Values<S>,
    options: entries.map(toReport),
    warnings: [
      ...issues.filter(({ severity }) => severity === "warning").map(({ message }) => message),
      ...unknownVariables(environment, everything),
      ...(schema.standsAlone ? ignoredNames(environment, yaml, everything.sections, schema) : []),
    ],
    environment: completed(environment, entries),
  };
}

type Place = Pick<Entry, "sectionName" | "section" | "key" | "option">;

function readEntry(place: Place, lookup: Parameters<typeof findGiven>[2]): Entry {
  const { option, section } = place;
  const found = findGiven(option, section, lookup);
  if (found && "message" in found) return failed(place, found);
  if (found) return readGiven(place, found, lookup.readFile);
  if (option.default !== undefined) {
    const reading = option.type.read(option.default, lookup.readFile);
    if ("expected" in reading) throw new Error(`the default of ${nameOf(place)} is wrong: expected ${reading.expected}`);
    const origin: Origin = { kind: "default", name: "default" };
    return { ...place, value: reading.value, shown: option.default, origin };
  }
  if (option.required) {
    return failed(place, { name: nameOf(place), message: `missing; expected ${option.type.expected}` });
  }
  return { ...place, value: undefined, shown: "", origin: { kind: "unset", name: "not set" } };
}

function readGiven(place: Place, given: Given, readFile: Sources["readFile"]): Entry {
  const { option } = place;
  const reading = readType(option.type, given, readFile);
  const shown = showGiven(option, given);
  if ("expected" in reading) {
    const quoted = option.secret ? shown : JSON.stringify(shown);
    return failed(place, { name: given.name, given: quoted, message: `expected ${reading.expected}` });
  }
  return { ...place, value: reading.value, shown, origin: given.origin, given };
}

function readType<T>(type: OptionType<T>, given: Given, readFile: Sources["readFile"]): Reading<T> {
  const { written, bytes, isStructure } = given;
  if (isStructure && !type.readsStructures) return { expected: `${type.expected}, not a mapping` };
  if (bytes) return type.readBytes?.(bytes) ?? { expected: `${type.expected}, in a file of text` };
  if (typeof written === "string") return type.read(written, readFile);
  return type.readItems?.(written) ?? { expected: `${type.expected}, not a list` };
}

function showGiven(option: Option, { written }: Given): string {
  if (option.secret) return "***";
  const text = typeof written === "string" ? written : written.join(", ");
  return option.type.hidePassword?.(text) ?? text;
}

function failed(place: Place, problem: ConfigProblem): Entry {
  return { ...place, value: undefined, shown: "", origin: { kind: "unset", name: "" }, problem };
}

/** Returns, for example, `APPSERVER_DB_PASSWORD (or APPSERVER_DB_PASSWORD_FILE, or database.password in the file)`. */
function nameOf({ section, option }: Pick<Place, "section" | "option">): string {
  const { env, yaml, flag } = option;
  const names = [
    ...(env === undefined ? [] : [env, ...(mayBeInFile(option) ? [`${env}_FILE`] : [])]),
    ...(flag === undefined ? [] : [`--${flag}`]),
    ...(yaml === undefined || section.yaml === undefined ? [] : [`${section.yaml}.${yaml} in the file`]),
  ];
  const [first = "", ...others] = names;
  return others.length === 0 ? first : `${first} (or ${others.join(", or ")})`;
}

/** Converts an issue to a problem. Returns no problem if its option already has one. */
function toProblem(issue: OptionIssue, entries: readonly Entry[]): readonly ConfigProblem[] {
  if (issue.severity === "warning") return [];
  const [sectionName, key] = issue.at;
  const entry = entries.find((each) => each.sectionName === sectionName && each.key === key);
  if (!entry) throw new Error(`a rule reports ${sectionName}.${key}, which is not an option`);
  if (entry.problem) return [];
  if (!entry.given) return [{ name: nameOf(entry), message: issue.message }];
  const given = entry.option.secret ? entry.shown : JSON.stringify(entry.shown);
  return [{ name: entry.given.name, given, message: issue.message }];
}

function valuesOf(entries: readonly Entry[]): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const values: Record<string, Record<string, unknown>> = {};
  for (const { sectionName, key, value } of entries) {
    const section = values[sectionName] ?? {};
    section[key] = value;
    values[sectionName] = section;
  }
  return values;
}

function toReport({ section, sectionName, option, key, shown, origin }: Entry): OptionReport {
  return { section: section.yaml ?? sectionName, name: option.yaml ?? option.flag ?? key, shown, origin };
}

function completed(environment: Readonly<Record<string, string | undefined>>, entries: readonly Entry[]) {
  const additions = entries.flatMap(({ option, given }) => {
    if (given?.variable) return [[given.variable.name, given.variable.value] as const];
    if (option.env === undefined || given === undefined || given.bytes) return [];
    const { written } = given;
    return [[option.env, typeof written === "string" ? written : written.join(",")] as const];
  });
  return Object.freeze({ ...environment, ...Object.fromEntries(additions) });
}
