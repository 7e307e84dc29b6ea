import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { failing } from "../test/recorded-apps.ts";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

describe("appctl and the versions of an app", () => {
  test("plan shows the steps and differences of an upgrade, or of an installation", async () => {
    const shown = await appctl("plan", "com.example.notes");
    const expected = `steps:
  upgrade com.example.notes 1.1.0 (requested), image sha256:${"d".repeat(64)}
permissions:
  added: page:origin of platform
routes:
  added: GET /tags (notes:read)
  removed: GET /ping (public)
  changed: GET /notes (notes:read): rateLimit none -> {"rpm":5}, timeoutMs 10000 -> 5000
navigation:
  added: /notes/tags (Notes > Tags)
settings:
  added: notes.limit (INT)
hooks:
  added: com.example.clock.ticked
dependencies:
  added: com.example.clock ^1.0.0
storage:
  removed: data (/data, 1Gi)
environment:
  added: TOKEN (value of notes.token)
  removed: LEVEL=info
  changed: MODE=a: value "a" -> "b"
resources:
  added: memory_mb 256
irreversible migration: a rollback will not be possible
user:
  changed: none -> "root"
digest d1
`;
    assert.deepEqual(shown, { code: 0, stdout: expected, stderr: "" });
    const install = await appctl("plan", "com.example.clock", "--to", "1.0.0");
    assert.match(install.stdout, /^image by tag\nneeds approval:\n/, "a plan that waits for an approval has no steps");
    const planned = requests.at(-1);
    assert.equal(planned?.method, "installPlan");
    assert.equal((planned.request as { readonly version: string }).version, "1.0.0");
  });

  test("upgrade follows the operation to its end, and fails with its error", async () => {
    assert.deepEqual(await appctl("upgrade", "com.example.notes", "--plan", "d1"), {
      code: 0,
      stdout: "com.example.notes has version 1.1.0\n",
      stderr: "pull\ndone\n",
    });
    failing.add("upgrade");
    const failed = await appctl("upgrade", "com.example.notes");
    failing.clear();
    assert.deepEqual([failed.code, failed.stdout], [1, ""]);
    assert.match(failed.stderr, /appctl: upgrade of com\.example\.notes: 1\.1\.0 did not start: exit code 1\n$/);
    const detached = await appctl("redeploy", "com.example.notes", "--detach");
    assert.equal(
      detached.stdout,
      "redeploy of com.example.notes runs (deploy, 5 %); appctl operation op-1 waits for its end\n",
    );
    failing.add("connection");
    const followed = await appctl("operation", "op-1");
    assert.deepEqual([followed.stdout, followed.stderr], ["upgrade of com.example.notes has ended\n", "pull\ndone\n"]);
  });

  test("a rollback without a version reports the upgrade that it cancelled", async () => {
    const { code, stdout } = await appctl("rollback", "com.example.notes");
    assert.deepEqual([code, stdout], [0, "the upgrade of com.example.notes to 1.1.0 was cancelled; version 1.0.0 serves\n"]);
  });

  test("versions lists the kept releases and their history", async () => {
    const { stdout } = await appctl("versions", "com.example.notes");
    assert.match(
      stdout,
      /^1\.1\.0 \(revision 2\) +yes +2026-01-02T03:04:05Z +- +bbbbbbbbbbbb +acme\/notes 0123456789ab refs\/heads\/main$/m,
    );
    assert.match(stdout, /^2026-01-02T03:04:05Z +upgrade +1\.0\.0 +1\.1\.0 +user:admin +-$/m);
  });
});
