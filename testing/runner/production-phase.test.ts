import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { labelOf, planFiles } from "./plan.ts";
import { startSharedPlatformWith, withoutPlatform } from "./production-phase.ts";
import { describeRun } from "./summary.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-production-phase-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const shell = (script: string) => ["sh", "-c", script, "sh"];

test("contract files are planned twice and can be selected by variant", () => {
  const root = join(import.meta.dirname, "../..");
  const labels = (filter: string) => planFiles(root, [filter]).map(labelOf);
  const file = "testing/contract/errors.test.ts";
  assert.deepEqual(labels(file), [file, `${file} (production)`]);
  assert.deepEqual(labels(`${file} (production)`), [`${file} (production)`]);
  assert.deepEqual(labels("testing/runner/runner.test"), ["testing/runner/runner.test.ts"]);
});

test("a platform is up when it has written its addresses, and stop() ends it", async () => {
  const file = join(folder, "up.json");
  const platform = await startSharedPlatformWith(shell(`echo '{}' > "$1"; cat; echo ended > "$1"`), file, 10_000);
  assert.ok("stop" in platform);
  assert.deepEqual(platform.environment, { APPSERVER_TEST_PLATFORM: file });
  await platform.stop();
  assert.equal(readFileSync(file, "utf8"), "ended\n");
});

test("an unavailable platform skips every file with the reason; a start that fails is reported as a failure with its output", async () => {
  const absent = await startSharedPlatformWith(
    shell(`echo '{"unavailable": "no such thing"}' > "$1"`),
    join(folder, "absent.json"),
    10_000,
  );
  assert.deepEqual(absent, { unavailable: "no such thing" });
  await assert.rejects(
    startSharedPlatformWith(shell("echo why >&2; exit 3"), join(folder, "failed.json"), 10_000),
    /ended:\nwhy/,
  );
  await assert.rejects(startSharedPlatformWith(shell("cat"), join(folder, "slow.json"), 100), /took longer than 0.1 s/);

  const planned = { file: "a.test.ts", alone: false, prepared: true, timeoutMs: 1, variant: "production" } as const;
  const skipped = describeRun([withoutPlatform(planned, { unavailable: "no such thing" })], true);
  assert.deepEqual([skipped.passed, skipped.text.includes("a.test.ts (production): no such thing")], [false, true]);
  assert.equal(describeRun([withoutPlatform(planned, { unavailable: "no such thing" })], false).passed, true);
  assert.equal(describeRun([withoutPlatform(planned, { failed: "broken" })], false).passed, false);
});
