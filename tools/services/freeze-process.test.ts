import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { freezeProcess } from "./freeze-process.ts";

test("a frozen process does nothing until SIGCONT", async () => {
  const script = "process.stdin.on('data', (text) => process.stdout.write(text)); process.stdout.write('up');";
  const child = spawn(process.execPath, ["--eval", script], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    freezeProcess(child.pid ?? 0);
    const answers: string[] = [];
    child.stdout.on("data", (chunk: Buffer) => answers.push(chunk.toString()));
    child.stdin.write("asked");
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(answers, []);
    const answered = once(child.stdout, "data");
    child.kill("SIGCONT");
    await answered;
    assert.deepEqual(answers, ["asked"]);
  } finally {
    child.kill("SIGKILL");
  }
});

test("freezing a process that does not exist throws ESRCH", () => {
  assert.throws(() => freezeProcess(2 ** 22 - 1), { code: "ESRCH" });
});
