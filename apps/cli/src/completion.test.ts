import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
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

  test("has a script for bash, zsh and fish", () => {
    for (const shell of ["bash", "zsh", "fish"]) assert.match(completionScript(shell), /appctl complete --/);
    assert.throws(() => completionScript("csh"), /must be one of bash, zsh, fish, got "csh"/);
  });

  test("bash offers the words", () => {
    const script = `
appctl() { printf '%s\\n' "$#" "$4" two; }
${completionScript("bash")}
COMP_WORDS=(appctl install com); COMP_CWORD=2
_appctl
printf '%s,' "\${COMPREPLY[@]}"`;
    assert.equal(execFileSync("bash", ["-c", script], { encoding: "utf8" }), "4,com,two,");
  });

  test("fish offers the words, and files only where there are none", { skip: without("fish") }, () => {
    const offered = (words: string, found: string): readonly string[] => {
      const script = `function appctl; ${found}; end\n${completionScript("fish")}\ncomplete --do-complete 'appctl ${words}'`;
      const output = execFileSync("fish", ["--no-config", "-c", script], { encoding: "utf8", cwd: import.meta.dirname });
      return output.split("\n").filter((line) => line !== "");
    };
    assert.deepEqual(offered("install com", "string join \\n -- $argv[3..]"), ["com"]);
    assert.deepEqual(offered("dev comma", "true"), ["commands/"]);
  });

  test("zsh offers the words", { skip: without("zsh") }, () => {
    const script = `
compdef() { :; }
compadd() { printf '%s,' $found; }
appctl() { printf '%s\\n' "$#" "$4"; }
${completionScript("zsh")}
words=(appctl install com); CURRENT=3
_appctl`;
    assert.equal(execFileSync("zsh", ["-f", "-c", script], { encoding: "utf8" }), "4,com,");
  });
});

/** Returns why a test cannot run, or false. */
function without(shell: string): string | false {
  const { error } = spawnSync(shell, ["-c", "true"]);
  return error ? `${shell} is not installed` : false;
}
