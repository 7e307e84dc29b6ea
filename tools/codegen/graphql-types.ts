import { readSchema } from "@appserver/contracts/graphql";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as resolvers from "@graphql-codegen/typescript-resolvers";
import { parse } from "graphql";

const header = `// Generated from contracts/graphql/schema.graphql by \`npm run generate\`. Do not edit.
`;

const scalars = { ID: "string", JSON: "unknown", DateTime: "string" };

/** How types of the schema are written in TypeScript. */
export const graphqlTypesConfig = {
  scalars,
  enumType: "string-literal",
  enumsAsTypes: true,
  useTypeImports: true,
  strictScalars: true,
  immutableTypes: true,
  maybeValue: "T | null | undefined",
  resolverTypeWrapperSignature: "Promise<T> | T",
  makeResolverTypeCallable: false,
};

/** Generates TypeScript types and resolver signatures of the GraphQL schema. */
export async function generateGraphqlTypes(): Promise<string> {
  const text = await codegen({
    filename: "graphql.ts",
    schema: parse(readSchema()),
    documents: [],
    // The scalar accepts both from resolvers.
    config: { ...graphqlTypesConfig, scalars: { ...scalars, DateTime: { input: "string", output: "Date | string" } } },
    plugins: [{ typescript: {} }, { resolvers: {} }],
    pluginMap: { typescript, resolvers },
  });
  return header + text;
}
