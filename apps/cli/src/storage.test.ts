import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

const notes = "com.example.notes";

describe("appctl and the storage of an app", () => {
  test("list shows declared and kept storage, with the size of its files", async () => {
    const { code, stdout, stderr } = await appctl("storage", "list", notes);
    assert.deepEqual([code, stderr], [0, ""]);
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
    assert.deepEqual(rows, [
      ["NAME", "PATH", "SIZE", "USED", "CREATED", "DECLARED"],
      ["data", "/data", "1Gi", "12.6Mi", "2026-01-02T03:04:05.000Z", "yes"],
      ["index", "/srv/index", "100Mi", "0", "2026-01-02T03:04:05.000Z", "no"],
      ["later", "/later", "1Ti", "unknown", "not yet", "yes"],
      [""],
    ]);
    assert.equal((await appctl("storage", "list", "com.example.clock")).stdout, "com.example.clock has no storage\n");
    const { storage } = JSON.parse((await appctl("--json", "storage", "list", notes)).stdout) as { storage: object[] };
    assert.deepEqual(storage.slice(0, 1), [
      {
        name: "data",
        mountPath: "/data",
        size: "1Gi",
        declared: true,
        createdAt: "2026-01-02T03:04:05.000Z",
        usedBytes: 13_212_057,
        measuredAt: "2026-01-02T03:04:05.000Z",
      },
    ]);
    assert.deepEqual(storage[2], {
      name: "later",
      mountPath: "/later",
      size: "1Ti",
      declared: true,
      createdAt: null,
      usedBytes: null,
      measuredAt: null,
    });
  });

  test("delete needs the name of the storage twice", async () => {
    for (const confirm of [[], ["--confirm", "dat"], ["--confirm", notes]]) {
      const { code, stderr } = await appctl("storage", "delete", notes, "data", ...confirm);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /repeat its name: --confirm data/);
    }
    assert.deepEqual(requests, []);
    const { code, stdout } = await appctl("storage", "delete", notes, "data", "--confirm", "data");
    assert.deepEqual([code, stdout], [0, "the storage data of com.example.notes is being deleted\n"]);
    assert.partialDeepStrictEqual(requests, [{ method: "deleteStorage", request: { name: notes, storage: "data" } }]);
  });
});
