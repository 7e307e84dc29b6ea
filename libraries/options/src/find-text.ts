import { findGiven, type Sources } from "./given-values.ts";
import { readYaml, yamlLookup } from "./read-yaml.ts";
import type { Section } from "./schema.ts";

/**
 * Returns the value that the sources give one option, as text. Undefined if none does. Throws ConfigError if the file of `-c` cannot
 * be read; other problems are those of the whole configuration.
 */
export function findText<S extends Section>(
  section: S,
  key: keyof S["options"] & string,
  sources: Sources,
): string | undefined {
  const { flags } = sources;
  const file = flags?.["config"] === undefined ? undefined : String(flags["config"]);
  const yaml = file === undefined ? undefined : readYaml(file, sources.readFile);
  const option = section.options[key];
  const found = option && findGiven(option, section, { ...sources, yaml: yamlLookup(yaml, file ?? "") });
  return found && "written" in found ? String(found.written) : undefined;
}
