import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { completionScript, completionsOf } from "./completion.ts";
import { createAppctl } from "./program.ts";

describe("the completion of a shell", () => {
  const { program, options } = createAppctl({ APPSERVER_GRPC_URL: "http://127.0.0.1:9" });
  const complete = (...words: string[]) => completionsOf(program, words, options);

  test("knows commands, commands of commands, and options", async () => {
    assert.deepEqual(await complete("de"), ["delete", "deploy", "describe", "dev"]);
    assert.deepEqual(await complete("context", ""), ["list", "remove", "use"]);
    assert.deepEqual(await complete("--grpc", "http://h:1", "hooks", "li"), ["listen"]);
    assert.deepEqual(await complete("install", "--w"), ["--without-dependencies"]);
    assert.deepEqual(await complete("install", "x", "--js"), ["--json"]);
    assert.ok(!(await complete("")).includes("complete"));
  });

  test("has a script for each shell; that of bash offers the words", () => {
    for (const shell of ["zsh", "fish"]) assert.match(completionScript(shell), /appctl complete --/);
    assert.throws(() => completionScript("csh"), /must be one of bash, zsh, fish, got "csh"/);
    const script = `
appctl() { printf '%s\\n' "$#" "$4" two; }
${completionScript("bash")}
COMP_WORDS=(appctl install com); COMP_CWORD=2
_appctl
printf '%s,' "\${COMPREPLY[@]}"`;
    assert.equal(execFileSync("bash", ["-c", script], { encoding: "utf8" }), "4,com,two,");
  });
});
