import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTimeOf } from "@appserver/kernel/files";
import { prepare, prepareWith } from "./preparation.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-preparation-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const longTime = 60_000;

test("it finishes when its process ends, and reports a failure", async () => {
  assert.equal(await prepareWith(["true"], longTime).finished(), undefined);
  assert.equal(await prepareWith(["sh", "-c", "exit 3"], longTime).finished(), "the preparation ended with 3");
  assert.match((await prepareWith([join(folder, "absent")], longTime).finished()) ?? "", /did not start: .*ENOENT/);
  assert.equal(await prepareWith(["sleep", "1000"], 10).finished(), "the preparation ended with SIGKILL");
});

test("end() also ends every process that the preparation started", async () => {
  const pidFile = join(folder, "pid");
  const preparation = prepareWith(
    ["sh", "-c", `sleep 1000 & echo $! > ${pidFile}.new && mv ${pidFile}.new ${pidFile}; wait`],
    longTime,
  );
  while (!existsSync(pidFile)) await sleep(10);
  const pid = Number(readFileSync(pidFile, "utf8"));
  assert.notEqual(startTimeOf(pid), undefined);
  preparation.end();
  assert.equal(await preparation.finished(), "the preparation ended with SIGKILL");
  const deadline = Date.now() + 10_000;
  while (startTimeOf(pid) !== undefined && Date.now() < deadline) await sleep(10);
  assert.equal(startTimeOf(pid), undefined);
});

test("nothing is prepared if no component is needed", async () => {
  assert.equal(await prepare(folder, []).finished(), undefined);
});
