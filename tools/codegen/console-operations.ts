import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSchema } from "@appserver/contracts/graphql";
import { codegen } from "@graphql-codegen/core";
import * as documents from "@graphql-codegen/typed-document-node";
import * as operations from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";
import { graphqlTypesConfig } from "./graphql-types.ts";

const folder = resolve(import.meta.dirname, "../../apps/console/web/operations");

const header = `// Generated from apps/console/web/operations by \`npm run generate\`. Do not edit.
`;

/** Generates the console's operations with the types of their variables and results. Throws if one does not match the schema. */
export async function generateConsoleOperations(): Promise<string> {
  const text = await codegen({
    filename: "operations.ts",
    schema: parse(readSchema()),
    documents: readdirSync(folder)
      .sort()
      .map((location) => ({ location, document: parse(readFileSync(join(folder, location), "utf8"), { noLocation: true }) })),
    config: { ...graphqlTypesConfig, dedupeFragments: true, optimizeDocumentNode: true },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  });
  // urql has the type, too, and each document contains its fragments.
  const documentsOnly = text.replaceAll(/^export const \w+FragmentDoc = .*\n/gm, "");
  return header + documentsOnly.replace("@graphql-typed-document-node/core", "@urql/core");
}
