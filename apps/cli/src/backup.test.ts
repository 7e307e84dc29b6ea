import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

const notes = "com.example.notes";
const idOf = (digit: number): string => `0198c0de-0000-7000-8000-0000000000b${digit}`;

describe("appctl and the snapshots of an app", () => {
  test("create waits for the end and prints the id", async () => {
    const { code, stdout, stderr } = await appctl("backup", "create", notes, "--label", "before the import");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^com\.example\.notes has the snapshot op-1\n$/);
    assert.partialDeepStrictEqual(requests, [
      { method: "createAppSnapshot", request: { name: notes, label: "before the import" } },
    ]);
  });

  test("list shows what each contains, and why one failed", async () => {
    const { code, stdout, stderr } = await appctl("backup", "list", notes);
    assert.deepEqual([code, stderr], [0, ""]);
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
    const taken = "2026-01-02T03:04:05Z";
    assert.deepEqual(rows, [
      ["ID", "TAKEN", "VERSION", "REASON", "STATE", "SIZE", "PAUSED", "LABEL"],
      [idOf(4), taken, "1.0.0", "restore", "completed", "8Mi", "0.9 s", "-"],
      [idOf(3), taken, "1.0.0", "manual", "failed", "-", "-", "the copy did not end within 30 s"],
      [idOf(2), taken, "1.0.0", "manual", "completed", "12Mi", "1.3 s", "before the import"],
      [idOf(1), taken, "1.0.0", "upgrade", "completed", "0", "-", "-"],
      [""],
    ]);
    assert.equal((await appctl("backup", "list", "com.example.clock")).stdout, "com.example.clock has no snapshots\n");
  });

  test("restore takes the newest one that is complete and no copy of what a restore replaced", async () => {
    const { code, stdout } = await appctl("backup", "restore", notes);
    assert.deepEqual([code, stdout], [0, `${notes} has the data of the snapshot ${idOf(2)}\n`]);
    assert.equal((await appctl("backup", "restore", notes, idOf(4), "--detach")).code, 0);
    assert.equal((await appctl("backup", "restore", "com.example.clock")).code, 2);
    const sent = requests
      .filter(({ method }) => method === "restoreAppSnapshot")
      .map(({ request }) => ({ ...(request as object) }));
    assert.deepEqual(sent, [
      { name: notes, snapshot: idOf(2) },
      { name: notes, snapshot: idOf(4) },
    ]);
  });

  test("restore into a clone says how it starts", async () => {
    const { code, stdout } = await appctl("backup", "restore", notes, "--as", "com.example.copy");
    const started = "appctl install com.example.copy starts it";
    assert.deepEqual([code, stdout], [0, `com.example.copy has the data of the snapshot ${idOf(2)}; ${started}\n`]);
    const [sent] = requests.filter(({ method }) => method === "cloneApp").map(({ request }) => ({ ...(request as object) }));
    assert.deepEqual(sent, { name: notes, snapshot: idOf(2), as: "com.example.copy" });
  });

  test("delete names the snapshot", async () => {
    const { code, stdout } = await appctl("backup", "delete", notes, idOf(1));
    assert.deepEqual([code, stdout], [0, `the snapshot ${idOf(1)} of ${notes} is being deleted\n`]);
  });

  test("a rollback asks for the data only with its flag", async () => {
    await appctl("rollback", notes, "--to", "0.9.0");
    await appctl("rollback", notes, "--to", "0.9.0", "--with-data");
    const sent = requests.filter(({ method }) => method === "rollbackApp").map(({ request }) => request);
    assert.deepEqual(
      sent.map((request) => (request as { readonly withData?: boolean }).withData),
      [false, true],
    );
  });
});
