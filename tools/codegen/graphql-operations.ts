import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { readSchema } from "@appserver/contracts/graphql";
import { codegen } from "@graphql-codegen/core";
import * as documents from "@graphql-codegen/typed-document-node";
import * as operations from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";
import { graphqlTypesConfig } from "./graphql-types.ts";

const root = resolve(import.meta.dirname, "../..");

/** Generates the console's operations with the types of their variables and results. Throws if one does not match the schema. */
export async function generateConsoleOperations(): Promise<string> {
  return await generate("apps/console/web");
}

/** The same for `appctl`. */
export async function generateCommandLineOperations(): Promise<string> {
  return await generate("apps/cli/src/operations");
}

/** The documents are texts, which are sent as they are. */
async function generate(folder: string): Promise<string> {
  const text = await generateDocuments(folder);
  return text
    .replace(
      /^import type \{ DocumentTypeDecoration \}.*$/m,
      'import type { Document } from "@appserver/contracts/graphql/document";',
    )
    .replace(/^export class TypedDocumentString\b[\s\S]*?\n\}\n/m, "")
    .replaceAll(/^export const \w+FragmentDoc = [^`]*`[^`]*`.*;\n/gm, "")
    .replaceAll("new TypedDocumentString(", "")
    .replaceAll(/\) as unknown as TypedDocumentString</g, " as Document<");
}

async function generateDocuments(folder: string): Promise<string> {
  const path = join(root, folder);
  const text = await codegen({
    filename: "operations.ts",
    schema: parse(readSchema()),
    // By name: the order of the files decides that of the generated code.
    documents: globSync("**/*.graphql", { cwd: path })
      .sort((one, other) => compareTexts(basename(one), basename(other)))
      .map((location) => ({ location, document: parse(readFileSync(join(path, location), "utf8"), { noLocation: true }) })),
    config: { ...graphqlTypesConfig, dedupeFragments: true, documentMode: "string" },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  });
  return `// Generated from the operations in ${folder} by \`npm run generate\`. Do not edit.\n${text}`;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
