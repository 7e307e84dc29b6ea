import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSource } from "./compile-source.ts";

test("types become spaces, and modules of the package have their new names", () => {
  const source = `import { type A, b } from "./b.ts";
import type { C } from "../c.ts";
export { d } from "../d/index.ts";
const late = async (): Promise<A> => (await import("./late.ts")).late;
const thread = new URL("./thread.ts", import.meta.url);
const main: string = "./src/server.ts";
`;
  const compiled = `import {         b } from "./b.js";
                                ${" "}
export { d } from "../d/index.js";
const late = async ()             => (await import("./late.js")).late;
const thread = new URL("./thread.js", import.meta.url);
const main         = "./src/server.ts";
`;
  assert.equal(compileSource(source), compiled);
});
