import { findGiven, type Sources } from "./given-values.ts";
import { readYaml, yamlLookup } from "./read-yaml.ts";
import type { Section } from "./schema.ts";

/**
 * Reads the file of `-c`, and returns what finds the value that the sources give one option, as text: undefined if none does. Throws
 * ConfigError if the file cannot be read; other problems are those of the whole configuration.
 */
export function textFinder(
  sources: Sources,
): <S extends Section>(section: S, key: keyof S["options"] & string) => string | undefined {
  const config = sources.flags?.["config"];
  const file = config === undefined ? "" : String(config);
  const yaml = yamlLookup(config === undefined ? undefined : readYaml(file, sources.readFile), file);
  return (section, key) => {
    const option = section.options[key];
    const found = option && findGiven(option, section, { ...sources, yaml });
    return found && "written" in found ? String(found.written) : undefined;
  };
}
