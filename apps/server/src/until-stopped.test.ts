import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const moduleFile = join(import.meta.dirname, "until-stopped.ts");
const keepAlive = "setInterval(() => {}, 1000);";

/** Starts a process that runs the code in `start`. Resolves when its signal handlers are installed. */
async function started(start: string): Promise<ChildProcess> {
  const script = `import { untilStopped } from ${JSON.stringify(moduleFile)};
    import { StartAbortedError } from "@appserver/kernel";
    ${keepAlive}
    setTimeout(() => console.log("up"), 100);
    await untilStopped(${start});`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  return child.exitCode ?? (await once(child, "exit"))[0];
}

test("a second Ctrl-C ends a process that does not stop; a second SIGTERM, or the same Ctrl-C received twice, does not", async () => {
  const child = await started("async () => ({ stop: () => new Promise(() => {}) })");
  child.kill("SIGINT");
  child.kill("SIGINT");
  await sleep(700);
  child.kill("SIGTERM");
  await sleep(200);
  assert.equal(child.exitCode, null);
  child.kill("SIGINT");
  assert.equal(await exitOf(child), 130);
});

test("an aborted start ends the process with code 0", async () => {
  const child = await started(
    `(signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new StartAbortedError("stopped"))))`,
  );
  child.kill("SIGTERM");
  assert.equal(await exitOf(child), 0);
});

test("a start that ignores the abort ends within ten seconds", async () => {
  const child = await started("() => new Promise(() => {})");
  const signalledAt = performance.now();
  child.kill("SIGTERM");
  assert.equal(await exitOf(child), 1);
  assert.ok(performance.now() - signalledAt < 20_000);
});
