import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { optionProblems } from "./option-readers.ts";

const section = `
export type Values<S extends { options: object }> = { readonly [Key in keyof S["options"]]: number };
export function defineSection<const S>(section: S): S { return section; }
export const cacheSection = defineSection({
  yaml: "cache",
  options: { ttlMs: { default: "1" }, maxBytes: { default: "1" }, port: {} },
});
`;
const imports = `
import { type Values, type cacheSection } from "../libraries/options/src/sections.ts";
type Cache = Values<typeof cacheSection>;
declare function open(options: { readonly lifetimeMs?: number; readonly bytes: number; readonly port?: number }): void;
`;

let root = "";
before(() => {
  root = mkdtempSync(join(tmpdir(), "option-readers-"));
  const compilerOptions = { noLib: true, strict: true, module: "nodenext", allowImportingTsExtensions: true, noEmit: true };
  write("tsconfig.json", JSON.stringify({ compilerOptions }));
  write("libraries/options/src/sections.ts", section);
});
after(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function problemsOf(code: string, exceptions = {}): readonly string[] {
  write("apps/compose.ts", `${imports}${code}\n`);
  return optionProblems(root, ["apps/compose.ts"], exceptions);
}

test("an option without a reader is reported; a property access and a destructuring are readers", () => {
  const read = "export function start(cache: Cache) { const { maxBytes } = cache; return maxBytes + cache.port; }";
  assert.deepEqual(problemsOf(read), ["cache.ttlMs has no reader"]);
  assert.deepEqual(problemsOf(`${read} export const ttlMs = (other: { ttlMs: number }) => other.ttlMs;`), [
    "cache.ttlMs has no reader",
  ]);
});

test("an exception is accepted while it is needed", () => {
  const read = "export const start = ({ maxBytes, port }: Cache) => maxBytes + port;";
  assert.deepEqual(problemsOf(read, { "cache.ttlMs": "the reason" }), []);
  assert.deepEqual(problemsOf(read, { "cache.ttlMs": "the reason", "cache.port": "the reason" }), [
    "cache.port has a reader; remove it from the exceptions",
  ]);
});

test("an optional property that receives an option with a default is reported", () => {
  const direct =
    "export const start = (cache: Cache) => open({ lifetimeMs: cache.ttlMs, bytes: cache.maxBytes, port: cache.port });";
  const bound =
    "export const start = ({ ttlMs: lifetimeMs, maxBytes: bytes, port }: Cache) => open({ lifetimeMs, bytes, port });";
  for (const code of [direct, bound]) {
    assert.deepEqual(problemsOf(code), [
      "apps/compose.ts:5: lifetimeMs receives cache.ttlMs, which has a default, and is optional",
    ]);
  }
});
