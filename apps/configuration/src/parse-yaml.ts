import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import { ConfigError } from "./config-error.ts";

/** A scalar's text as written, or a sequence of them, and the line where it is. */
export interface YamlValue {
  readonly given: string | readonly string[];
  readonly line: number;
}

/** Sections, and the values of each by key. */
export interface YamlSections {
  readonly sections: ReadonlyMap<string, { readonly line: number; readonly values: ReadonlyMap<string, YamlValue> }>;
}

/**
 * Two levels of a YAML mapping, every scalar as its text. Throws {@link ConfigError} for what is not YAML or not of that
 * shape, since nothing else can be said of such a file.
 */
export function parseYaml(text: string, file: string): YamlSections {
  // Most starts have no file, and the library takes a while to load.
  const yaml = createRequire(import.meta.url)("yaml") as typeof Yaml;
  const lines = new yaml.LineCounter();
  // The failsafe schema knows text only: `0123` and `1e5` stay what the operator wrote.
  const document = yaml.parseDocument(text, { schema: "failsafe", lineCounter: lines, prettyErrors: false });
  const lineOf = (node: unknown): number => (yaml.isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1);
  const refuse = (node: unknown, what: string): never => {
    throw new ConfigError(`The configuration is not valid:\n  ${file}:${lineOf(node)}: ${what}`);
  };
  const [error] = document.errors;
  if (error) {
    // What follows a colon quotes the file, where there may be a secret.
    const [what] = error.message.split(": ");
    throw new ConfigError(`The configuration is not valid:\n  ${file}:${lines.linePos(error.pos[0]).line}: ${what}`);
  }
  const resolved = (node: unknown): unknown => (yaml.isAlias(node) ? node.resolve(document) : node);
  const textOf = (node: unknown): string =>
    yaml.isScalar(node) ? String(node.value ?? "") : refuse(node, "expected text, a number, true or false");

  const entries = (node: unknown, what: string): readonly (readonly [string, unknown, number])[] => {
    const target = resolved(node);
    if (target === null || (yaml.isScalar(target) && textOf(target) === "")) return [];
    if (!yaml.isMap(target)) return refuse(node, what);
    return target.items.map(({ key, value }) => [textOf(key), resolved(value), lineOf(key)] as const);
  };
  const givenBy = (node: unknown): string | readonly string[] =>
    yaml.isSeq(node) ? node.items.map((item) => textOf(resolved(item))) : textOf(node ?? new yaml.Scalar(""));

  const sections = entries(document.contents, "expected sections such as server: and database:").map(
    ([section, body, line]) => {
      const values = entries(body, `expected settings of the section ${section}`).map(
        ([key, value, keyLine]) => [key, { given: givenBy(value), line: keyLine }] as const,
      );
      return [section, { line, values: new Map(values) }] as const;
    },
  );
  return { sections: new Map(sections) };
}
