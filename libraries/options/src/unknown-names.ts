import type { ConfigProblem } from "./config-error.ts";
import { mayBeInFile } from "./given-values.ts";
import { nearestName } from "./nearest-name.ts";
import type { YamlSections } from "./parse-yaml.ts";
import type { Option, Section, Sections } from "./schema.ts";

/** All names that some part of the platform uses. */
export interface KnownNames {
  readonly sections: readonly Section[];
  /** Variables that are not options. A name that ends with `_` is a prefix. */
  readonly variables?: readonly string[];
}

const variablePrefix = "APPSERVER_";

/** Returns a warning for each `APPSERVER_` variable that no process reads. It is most likely misspelt. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  { sections, variables = [] }: KnownNames,
): readonly string[] {
  const known = new Set(sections.flatMap(({ options }) => Object.values(options).flatMap(variablesOf)));
  const isOther = (name: string): boolean =>
    variables.some((other) => (other.endsWith("_") ? name.startsWith(other) : name === other));
  return Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !known.has(name) && !isOther(name))
    .sort()
    .map((name) => `${name} is not an option and is ignored${meant(nearestName(name, known))}`);
}

/** Returns a warning that names the options which only other processes read, by their variables and their keys in the file. */
export function ignoredNames(
  environment: Readonly<Record<string, string | undefined>>,
  yaml: YamlSections | undefined,
  all: readonly Section[],
  { process, sections }: { readonly process: string; readonly sections: Sections },
): readonly string[] {
  const read = Object.values(sections);
  const own = new Set(read.flatMap(({ options }) => Object.values(options).flatMap(variablesOf)));
  const others = new Set(all.flatMap(({ options }) => Object.values(options).flatMap(variablesOf)));
  const variables = Object.keys(environment).filter((name) => environment[name] !== "" && others.has(name) && !own.has(name));
  const keys = [...(yaml?.sections ?? [])].flatMap(([name, { values }]) => {
    const readKeys = [...read.filter((section) => namesOf(section).includes(name)).flatMap(keysOf), ...switchesIn(name, read)];
    return [...values.keys()].filter((key) => !readKeys.includes(key)).map((key) => `${name}.${key}`);
  });
  const names = [...variables.sort(), ...keys];
  if (names.length === 0) return [];
  return [`appserver ${process} does not read ${names.join(", ")}: other processes of the platform do`];
}

function variablesOf(option: Option): readonly string[] {
  const names = [option.env, ...(option.aliases ?? []), option.switch?.env].filter((name) => name !== undefined);
  return mayBeInFile(option) ? names.flatMap((name) => [name, `${name}_FILE`]) : names;
}

/** Returns a problem for each flag that belongs to another process. */
export function unknownFlags(
  flags: Readonly<Record<string, unknown>>,
  process: string,
  sections: Sections,
): readonly ConfigProblem[] {
  const own = Object.values(sections).flatMap(({ options }) => Object.values(options).map(({ flag }) => flag));
  return Object.keys(flags)
    .filter((name) => name !== "config" && !own.includes(name))
    .map((name) => ({ name: `--${name}`, message: `not a flag of ${process}` }));
}

/** Returns a problem for each section and key of the file that no process reads. */
export function unknownYaml(yaml: YamlSections, known: readonly Section[], file: string): readonly ConfigProblem[] {
  return [...yaml.sections].flatMap(([name, { line, values }]): readonly ConfigProblem[] => {
    const same = known.filter((section) => namesOf(section).includes(name));
    if (same.length === 0) {
      const suggestion = nearestName(name, known.flatMap(namesOf));
      return [{ name: `${file}:${line} ${name}`, message: `unknown section${meant(suggestion)}` }];
    }
    const keys = [...same.flatMap(keysOf), ...switchesIn(name, known)];
    return [...values].flatMap(([key, value]): readonly ConfigProblem[] => {
      if (keys.includes(key)) return [];
      const suggestion = nearestName(key, keys) ?? elsewhere(key, known);
      return [{ name: `${file}:${value.line} ${name}.${key}`, message: `unknown option${meant(suggestion)}` }];
    });
  });
}

/** Returns the place of the same key in another section. */
function elsewhere(key: string, sections: readonly Section[]): string | undefined {
  const section = sections.find((each) => keysOf(each).includes(key));
  return section && `${section.yaml}.${key}`;
}

function namesOf({ yaml, aliases = [] }: Pick<Section, "yaml" | "aliases">): readonly string[] {
  return yaml === undefined ? [] : [yaml, ...aliases];
}

function keysOf({ yaml: name, options }: Section): readonly string[] {
  if (name === undefined) return [];
  return Object.values(options).flatMap((option) => {
    if (option.yaml === undefined) return [];
    return mayBeInFile(option) ? [option.yaml, `${option.yaml}_file`] : [option.yaml];
  });
}

/** Returns the keys of switches in the section, which may belong to options of other sections. */
function switchesIn(section: string, known: readonly Section[]): readonly string[] {
  const switches = known.flatMap(({ options }) => Object.values(options).flatMap((option) => option.switch ?? []));
  return switches.filter((choice) => namesOf(choice.section).includes(section)).map(({ yaml }) => yaml);
}

function meant(suggestion: string | undefined): string {
  return suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
}
