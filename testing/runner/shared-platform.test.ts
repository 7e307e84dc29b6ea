import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { startSharedPlatformWith, withoutPlatform } from "./shared-platform.ts";
import { describeRun } from "./summary.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-shared-platform-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const shell = (script: string) => ["sh", "-c", script, "sh"];

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

  const file = "a.test.ts (production)";
  const skipped = describeRun([withoutPlatform(file, { unavailable: "no such thing" })], true, 1);
  assert.deepEqual([skipped.passed, skipped.text.includes("a.test.ts (production): no such thing")], [false, true]);
  assert.equal(describeRun([withoutPlatform(file, { unavailable: "no such thing" })], false, 1).passed, true);
  assert.equal(describeRun([withoutPlatform(file, { failed: "broken" })], false, 1).passed, false);
});
