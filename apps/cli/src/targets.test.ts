import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

async function rowsOf(...args: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await appctl(...args);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((row) => row.trimEnd().split(/ {2,}/).join("|"));
}

describe("appctl targets and incidents", () => {
  test("list targets, their deliveries, and incidents", async () => {
    assert.deepEqual(await rowsOf("targets", "list"), [
      "NAME|KIND|ADDRESS|TYPES|STATE|WAITING|DEAD",
      "billing|WEBHOOK|https://billing.example.com/|*|enabled|0|1",
      "configuration:mail|MAIL|team@example.com|INCIDENT_OPENED|configured|0|0",
      "|INCIDENT_CLOSED",
    ]);
    assert.deepEqual(await rowsOf("targets", "deliveries", "billing", "--status", "dead"), [
      "ID|TYPE|STATUS|ATTEMPT|NEXT ATTEMPT|ERROR",
      "7|APP_INSTALLED|DEAD|11|-|503",
    ]);
    assert.partialDeepStrictEqual(requests.at(-1)?.request, { targetId: "1", status: "DEAD" });
    assert.deepEqual(await rowsOf("incidents"), [
      "BEGAN|OVER|KIND|MESSAGE",
      "2026-01-02T03:04:05.000Z|-|DISK_FULL|91 % are used",
    ]);
    assert.partialDeepStrictEqual(requests.at(-1)?.request, { isOpen: true });
  });

  test("create a webhook, whose secret alone is on standard output", async () => {
    const url = "https://billing.example.com/";
    const { code, stdout, stderr } = await appctl("targets", "create", "billing", "--webhook", url, "--type", "app_installed");
    assert.deepEqual([code, stdout.trimEnd()], [0, "whsec_secret"]);
    assert.match(stderr, /secret of billing/);
    assert.partialDeepStrictEqual(requests.at(-1)?.request, {
      name: "billing",
      kind: "WEBHOOK",
      url,
      types: ["APP_INSTALLED"],
    });
    assert.deepEqual(await rowsOf("targets", "create", "chat", "--slack", url), ["chat is created"]);
    const both = await appctl("targets", "create", "x", "--slack", url, "--mail", "a@b.c");
    assert.deepEqual([both.code, /expected one of/.test(both.stderr)], [2, true]);
  });

  test("change, test, resend and delete", async () => {
    assert.deepEqual(await rowsOf("targets", "update", "billing", "--disable"), ["billing is disabled"]);
    assert.partialDeepStrictEqual(requests.at(-1)?.request, { id: "1", isEnabled: false });
    const url = "https://other.example.com/";
    assert.deepEqual(await rowsOf("targets", "update", "billing", "--url", url, "--name", "sales"), ["sales is enabled"]);
    assert.partialDeepStrictEqual(requests.at(-1)?.request, { id: "1", url, name: "sales" });
    assert.equal((await appctl("targets", "update", "billing")).code, 2);
    assert.deepEqual(await rowsOf("targets", "test", "configuration:mail"), ["configuration:mail took the message in 12 ms"]);
    const refused = await appctl("targets", "test", "billing");
    assert.deepEqual([refused.code, refused.stdout], [1, "not delivered: the receiver responded with 503\n"]);
    assert.deepEqual(await rowsOf("targets", "resend", "7"), ["delivery 7 is PENDING"]);
    assert.deepEqual(await rowsOf("targets", "delete", "billing"), ["billing is deleted"]);
    assert.equal((await appctl("targets", "delete", "nothing")).code, 1);
  });
});
