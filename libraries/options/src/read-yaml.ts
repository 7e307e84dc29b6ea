import { ConfigError } from "./config-error.ts";
import type { Lookup } from "./given-values.ts";
import { parseYaml, type YamlSections } from "./parse-yaml.ts";
import type { ReadFile } from "./types/option-type.ts";

/** Reads the file of `-c`. Throws ConfigError if it cannot be read. */
export function readYaml(file: string, readFile: ReadFile): YamlSections {
  let text: string;
  try {
    text = readFile(file).toString("utf8");
  } catch (error) {
    throw new ConfigError(`-c ${file}: could not read the file: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseYaml(text, file);
}

/** Returns how values of the file are found, under every name of their section. */
export function yamlLookup(yaml: YamlSections | undefined, file: string): Lookup["yaml"] {
  return (section, key) => {
    for (const name of [section.yaml, ...(section.aliases ?? [])]) {
      const value = name === undefined ? undefined : yaml?.sections.get(name)?.values.get(key);
      if (value) return { ...value, file, path: `${name}.${key}` };
    }
    return undefined;
  };
}
