import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { ConfigError, type ConfigProblem } from "./config-error.ts";

/** The text of a scalar as written, or a sequence of such texts, with its line. A structure is given as JSON, with texts only. */
export interface YamlValue {
  readonly given: string | readonly string[];
  readonly isStructure?: boolean;
  readonly line: number;
}

/** Sections, with the values of each section by key. */
export interface YamlSections {
  /** Parts of the file that do not have the shape of a configuration. */
  readonly problems: readonly ConfigProblem[];
  readonly sections: ReadonlyMap<string, { readonly line: number; readonly values: ReadonlyMap<string, YamlValue> }>;
}

/**
 * Parses two levels of a YAML mapping and returns every scalar as its text. Throws {@link ConfigError} if the text is not valid
 * YAML, because such a file allows no further checks.
 */
export function parseYaml(text: string, file: string): YamlSections {
  // Loaded on demand: most starts have no file, and loading the library takes a while.
  const yaml = createRequire(import.meta.url)("yaml") as typeof Yaml;
  const lines = new yaml.LineCounter();
  // The failsafe schema has strings only: `0123` and `1e5` stay as the operator wrote them.
  const document = yaml.parseDocument(text, { schema: "failsafe", lineCounter: lines, prettyErrors: false });
  const lineOf = (node: unknown): number => (yaml.isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1);
  const problems: ConfigProblem[] = [];
  const refuse = (node: unknown, expected: string): void => {
    problems.push({ name: `${file}:${lineOf(node)}`, message: `expected ${expected}` });
  };
  const [error] = document.errors;
  if (error) {
    // The text after a colon quotes the file, which may contain a secret.
    const [what] = error.message.split(": ");
    throw new ConfigError(`The configuration is not valid:\n  ${file}:${lines.linePos(error.pos[0]).line}: ${what}`);
  }
  const resolved = (node: unknown): unknown => (yaml.isAlias(node) ? node.resolve(document) : node);
  const textOf = (node: unknown): string => {
    if (yaml.isScalar(node)) return String(node.value ?? "");
    refuse(node, "text, a number, true or false");
    return "";
  };

  const entries = (node: unknown, what: string): readonly (readonly [string, unknown, number])[] => {
    const target = resolved(node);
    if (target === null || (yaml.isScalar(target) && textOf(target) === "")) return [];
    if (yaml.isMap(target)) return target.items.map(({ key, value }) => [textOf(key), resolved(value), lineOf(key)] as const);
    refuse(target, what);
    return [];
  };
  const givenBy = (node: unknown): Omit<YamlValue, "line"> => {
    if (yaml.isMap(node) || (yaml.isSeq(node) && node.items.some((item) => yaml.isMap(resolved(item)))))
      return { given: JSON.stringify(node.toJS(document)), isStructure: true };
    if (yaml.isSeq(node)) return { given: node.items.map((item) => textOf(resolved(item))) };
    return { given: textOf(node ?? new yaml.Scalar("")) };
  };

  const sections = entries(document.contents, "sections such as server: and database:").map(([section, body, line]) => {
    const values = entries(body, `options of the section ${section}, each on its own line below it`).map(
      ([key, value, keyLine]) => [key, { ...givenBy(value), line: keyLine }] as const,
    );
    return [section, { line, values: new Map(values) }] as const;
  });
  return { problems, sections: new Map(sections) };
}
