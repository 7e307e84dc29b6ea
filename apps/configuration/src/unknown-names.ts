import type { Problem } from "./config-error.ts";
import { mayBeInFile } from "./given-values.ts";
import { nearestName } from "./nearest-name.ts";
import type { YamlSections } from "./parse-yaml.ts";
import type { Section, Sections, Setting } from "./schema.ts";

/** All names that some part of the platform uses. */
export interface KnownNames {
  readonly sections: readonly Section[];
  /** Variables that are not settings. A name that ends with `_` is a prefix. */
  readonly variables?: readonly string[];
}

const variablePrefix = "APPSERVER_";

/** Returns a warning for each `APPSERVER_` variable that no process reads. It is most likely misspelt. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  { sections, variables = [] }: KnownNames,
): readonly string[] {
  const known = new Set(sections.flatMap(({ settings }) => Object.values(settings).flatMap(variablesOf)));
  const isOther = (name: string): boolean =>
    variables.some((other) => (other.endsWith("_") ? name.startsWith(other) : name === other));
  return Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !known.has(name) && !isOther(name))
    .sort()
    .map((name) => `${name} is no setting and is ignored${meant(nearestName(name, known))}`);
}

function variablesOf(setting: Setting): readonly string[] {
  const names = [setting.env, ...(setting.aliases ?? [])].filter((name) => name !== undefined);
  return mayBeInFile(setting) ? names.flatMap((name) => [name, `${name}_FILE`]) : names;
}

/** Returns a problem for each flag that belongs to another process. */
export function unknownFlags(
  flags: Readonly<Record<string, unknown>>,
  process: string,
  sections: Sections,
): readonly Problem[] {
  const own = Object.values(sections).flatMap(({ settings }) => Object.values(settings).map(({ flag }) => flag));
  return Object.keys(flags)
    .filter((name) => name !== "config" && !own.includes(name))
    .map((name) => ({ name: `--${name}`, says: `${process} has no such flag` }));
}

/** Returns a problem for each section and key of the file that no process reads. */
export function unknownYaml(yaml: YamlSections, known: readonly Section[], file: string): readonly Problem[] {
  return [...yaml.sections].flatMap(([name, { line, values }]): readonly Problem[] => {
    const same = known.filter((section) => namesOf(section).includes(name));
    if (same.length === 0) {
      const suggestion = nearestName(name, known.flatMap(namesOf));
      return [{ name: `${file}:${line} ${name}`, says: `there is no such section${meant(suggestion)}` }];
    }
    const keys = same.flatMap(keysOf);
    return [...values].flatMap(([key, value]): readonly Problem[] => {
      if (keys.includes(key)) return [];
      const suggestion = nearestName(key, keys) ?? elsewhere(key, known);
      return [{ name: `${file}:${value.line} ${name}.${key}`, says: `there is no such setting${meant(suggestion)}` }];
    });
  });
}

/** Returns the place of the same key in another section. */
function elsewhere(key: string, sections: readonly Section[]): string | undefined {
  const section = sections.find((each) => keysOf(each).includes(key));
  return section && `${section.yaml}.${key}`;
}

function namesOf({ yaml, aliases = [] }: Section): readonly string[] {
  return yaml === undefined ? [] : [yaml, ...aliases];
}

function keysOf({ yaml: name, settings }: Section): readonly string[] {
  if (name === undefined) return [];
  return Object.values(settings).flatMap((setting) => {
    if (setting.yaml === undefined) return [];
    return mayBeInFile(setting) ? [setting.yaml, `${setting.yaml}_file`] : [setting.yaml];
  });
}

function meant(suggestion: string | undefined): string {
  return suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
}
