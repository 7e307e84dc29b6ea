import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { ensureProgram } from "./debian-programs.ts";
import { testedVersions } from "./versions.ts";

for (const [name, args, expected] of [
  ["redis", ["--version"], `v=${testedVersions.redis}.`],
  ["rabbitmq", ["version"], testedVersions.rabbitmq],
] as const)
  test(`the installed ${name} is the listed one`, (context) => {
    const program = ensureProgram(name);
    if ("unavailable" in program) return context.skip(program.unavailable);
    const output = execFileSync(program.path, args, { encoding: "utf8" });
    assert.ok(output.includes(expected), `${output} instead of ${expected}`);
  });
