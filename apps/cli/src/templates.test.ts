import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("the code in Go of the page on other languages is that of the template", () => {
  const code = read("apps/cli/templates/go/appserver.go");
  const blocks = [...read("docs/interface/any-language.md").matchAll(/```go\n(.*?)```/gs)].map(([, block = ""]) => block);
  assert.equal(blocks.length, 4);
  for (const part of blocks.flatMap((block) => block.split("\n\n"))) assert.ok(code.includes(part.trim()), part);
});
