import { readFileSync } from "node:fs";
import { parsePoFile } from "@lingui/format-po";
import { compileMessage } from "@lingui/message-utils/compileMessage";
import MagicString from "magic-string";
import { type Plugin, parseAst } from "vite";

/** A node of a syntax tree, as far as this module reads it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Builds the console once for each language: environments with the name of a language have its texts, all others English ones. */
export function consoleTexts(locales: string): Plugin {
  const catalogues = new Map<string, Catalogue>();
  const catalogueOf = (language: string): Catalogue => {
    const known = catalogues.get(language) ?? readCatalogue(`${locales}/${language}.po`);
    catalogues.set(language, known);
    return known;
  };
  return {
    name: "console-texts",
    apply: "build",
    enforce: "post",
    transform: {
      filter: { id: /\/console\/web\/.*\.tsx?$/, code: /\bi18n\.t\(|\bTrans\b/ },
      handler(code, id) {
        const { name } = this.environment;
        const translate: Catalogue = name === "client" ? (text) => text : catalogueOf(name);
        return withTexts(code, translate, (problem) => this.error(`${id}: ${problem}`));
      },
    },
    generateBundle(_, bundle) {
      const { name } = this.environment;
      const page = bundle["index.html"];
      if (name === "client" || page?.type !== "asset") return;
      page.source = String(page.source).replace('<html lang="en">', `<html lang="${name}">`);
      page.fileName = `index.${name}.html`;
    },
  };
}

/** Returns the translation of a text. Undefined if there is none. */
type Catalogue = (text: string) => string | undefined;

function readCatalogue(path: string): Catalogue {
  const { items } = parsePoFile(readFileSync(path, "utf8"));
  const texts = new Map(items.map(({ msgid, msgstr }) => [msgid, msgstr.join("")]));
  return (text) => texts.get(text) || undefined;
}

type Fail = (problem: string) => never;

/**
 * Puts compiled messages in place of the texts in calls of `i18n.t` and in elements `Trans`. So a page has the texts of its own
 * modules in one language, no catalogue, and no compiler of messages.
 */
function withTexts(code: string, translate: Catalogue, fail: Fail): { code: string; map: null } | undefined {
  const written = new MagicString(code);
  const messageOf = (node: Node | undefined): unknown => {
    if (!isText(node))
      return fail(`the text in ${code.slice(node?.start, node?.end)} is not a literal, so that it has no translation`);
    return compileMessage(translate(node.value) ?? fail(`the catalogue has no translation of ${JSON.stringify(node.value)}`));
  };
  for (const call of callsOf(parseAst(code) as unknown as Node)) {
    const [first, second] = call.arguments;
    if (isTranslation(call.callee)) {
      const message = messageOf(first);
      const isPlain = typeof message === "string";
      written.update(first?.start ?? 0, first?.end ?? 0, isPlain ? JSON.stringify(message) : '""');
      const values = second ? "" : ", undefined";
      if (!isPlain) written.appendRight((second ?? first)?.end ?? 0, `${values}, { message: ${JSON.stringify(message)} }`);
    } else if (first?.type === "Identifier" && first["name"] === "Trans") {
      const properties = (second?.["properties"] ?? []) as readonly { readonly key: Node; readonly value: Node }[];
      const id = properties.find(({ key }) => key["name"] === "id")?.value;
      written.update(id?.start ?? 0, id?.end ?? 0, `"", message: ${JSON.stringify([messageOf(id)].flat(1))}`);
    }
  }
  return written.hasChanged() ? { code: written.toString(), map: null } : undefined;
}

interface Call extends Node {
  readonly callee: Node;
  readonly arguments: readonly (Node | undefined)[];
}

function* callsOf(node: Node): Generator<Call> {
  if (node.type === "CallExpression") yield node as Call;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) yield* callsOf(child as Node);
    }
  }
}

function isTranslation({ type, object, property }: Node): boolean {
  return (
    type === "MemberExpression" &&
    (object as Node | undefined)?.["name"] === "i18n" &&
    (property as Node | undefined)?.["name"] === "t"
  );
}

function isText(node: Node | undefined): node is Node & { readonly value: string } {
  return node?.type === "Literal" && typeof node["value"] === "string";
}
