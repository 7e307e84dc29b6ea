import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { ensurePythonWith } from "../../tools/services/python-packages.ts";

/**
 * Runs the tests in Python below `folder` as one test. They import from `folder`, the SDK with its packages, and what
 * `tests/requirements.txt` lists. `variables` are in their environment.
 */
export async function testInPython(
  what: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const python = await ensurePythonWith(join(folder, "tests/requirements.txt"));
  test(what, { skip: "unavailable" in python && python.unavailable }, () => {
    if ("unavailable" in python) return;
    // -B: compiled modules would change the folder, which the platform may run.
    const args = ["-B", "-W", "error", "-m", "unittest", "discover", "-t", ".", "tests"];
    const { status, stderr } = spawnSync(python.path, args, {
      cwd: folder,
      env: { ...process.env, ...variables, PYTHONPATH: python.packages },
      encoding: "utf8",
      timeout: 120_000,
    });
    assert.equal(status, 0, stderr);
    const [, number = "0"] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
    assert.ok(Number(number) > 0, stderr);
  });
}
