import { readFileSync } from "node:fs";

/** The SDL of `/graphql` (design/contracts "GraphQL"), as text. */
export function readSchema(): string {
  return readFileSync(new URL("./schema.graphql", import.meta.url), "utf8");
}
