import { stripTypeScriptTypes } from "node:module";

/** What names a module of the same package: `from "./a.ts"`, `import("../a.ts")`, `new URL("./a.ts", import.meta.url)`. */
const moduleNames = /\b(from |import |import\(|new URL\()(["'])(\.{1,2}\/[^"'\n]+)\.ts\2/g;

/**
 * Returns the JavaScript of a module in TypeScript: types become spaces, so that lines and columns stay, and names of modules end with
 * `.js`. Node runs no TypeScript below `node_modules`.
 */
export function compileSource(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(moduleNames, "$1$2$3.js$2");
}
