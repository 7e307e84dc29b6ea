import { readFileSync } from "node:fs";

export { objectOf } from "./object-of.ts";

/** Returns the SDL of `/graphql` as text (docs/interface/graphql.md). */
export function readSchema(): string {
  return readFileSync(new URL("./schema.graphql", import.meta.url), "utf8");
}
