import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { ensureBoardPython } from "../../tools/services/python-packages.ts";

const python = await ensureBoardPython();

test("the tests of the backend in Python", { skip: "unavailable" in python && python.unavailable }, () => {
  if ("unavailable" in python) return;
  // -B: compiled modules would change the folder, which is what the platform runs.
  const args = ["-B", "-W", "error", "-m", "unittest", "discover", "-t", ".", "tests"];
  const env = { ...process.env, PYTHONPATH: python.packages };
  const { status, stderr } = spawnSync(python.path, args, {
    cwd: import.meta.dirname,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
  const [, number = "0"] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
  assert.ok(Number(number) > 0, stderr);
});
