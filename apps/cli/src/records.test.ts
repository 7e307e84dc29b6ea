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
    .map((row) => row.split(/ {2,}/).join("|"));
}

describe("appctl and what happened on the platform", () => {
  test("audit lists entries by filters and times", async () => {
    const flags = ["--actor", "user:alice", "--client", "said: editor", "--since", "2026-01-02T00:00:00Z"];
    assert.deepEqual(await rowsOf("audit", ...flags), [
      "AT|BY|ACTION|TARGET|OUTCOME",
      "2026-01-02T03:04:05.000Z|user:alice by said: \\x1b[2J|app.install|app:\\x1b[2J|denied",
    ]);
    const request = { actor: "user:alice", client: "said: editor", since: "2026-01-02T00:00:00.000Z", first: 50 };
    assert.partialDeepStrictEqual(requests, [{ method: "auditLog", request }]);
    const wrong = await appctl("audit", "--until", "soon");
    assert.deepEqual([wrong.code, wrong.stderr.startsWith("appctl: --until must be a duration")], [2, true]);
  });

  test("requests lists those of the last hour by filters", async () => {
    const flags = ["--app", "com.example.notes", "--failed", "--slow", "500", "--caller", "user:alice", "--method", "post"];
    assert.deepEqual(await rowsOf("requests", ...flags), [
      "AT|APP|REQUEST|STATUS|TOOK|BY|ID",
      "2026-01-02T03:04:05.000Z|com.example.notes|GET /notes|200|1.3 ms|user:\\x1b[2J|r-2",
      "2026-01-02T03:04:05.000Z|platform|POST|403 denied|3 ms|user:alice|r-1",
    ]);
    const filter = { appName: "com.example.notes", failed: true, slowerThanMs: 500, caller: "user:alice", method: "POST" };
    assert.partialDeepStrictEqual(requests, [{ method: "requests", request: { ...filter, first: 50 } }]);
    const wrong = await appctl("requests", "--slow", "soon");
    assert.deepEqual([wrong.code, wrong.stderr.includes("--slow")], [2, true]);
  });

  test("metrics shows apps, and the routes of one", async () => {
    const numbers = "10|1|2|0|1.3 ms|20 ms|-";
    const head = "REQUESTS|ERRORS|REFUSED|LIMITED|P50|P90|P99";
    const counts = ["", "hooks: 3 triggered", "", "activities: 1 timed out", "", "as of 2026-01-02T03:04:05.000Z"];
    assert.deepEqual(await rowsOf("metrics"), [`APP|${head}`, `com.example.notes|${numbers}`, `all|${numbers}`, ...counts]);
    const ofApp = await rowsOf("metrics", "com.example.notes", "--minutes", "5");
    assert.deepEqual(ofApp.slice(0, 2), [`ROUTE|${head}`, `GET /notes|${numbers}`]);
    assert.partialDeepStrictEqual(requests.at(-1)?.request, { appName: "com.example.notes", minutes: 5 });
  });

  test("assets lists the files of an app, and shows one", async () => {
    assert.deepEqual(await rowsOf("assets", "com.example.notes"), ["com.example.notes has no assets"]);
    const shown = await rowsOf("assets", "com.example.notes", "main.js");
    assert.ok(shown.includes("integrity|sha256-q80=") && shown.includes("size|120 bytes"), shown.join("\n"));
    const { code, stderr } = await appctl("assets", "com.example.notes", "none.js");
    assert.deepEqual([code, stderr], [1, "appctl: there is no asset none.js of com.example.notes (NOT_FOUND)\n"]);
  });
});

describe("appctl access", () => {
  test("shows who may what, and why", async () => {
    assert.deepEqual(await rowsOf("access", "roles"), [
      "ROLE|ADMINISTRATORS|WHO HAS IT",
      "role:developer|no|Alice (user:alice)",
      "role:administrator|yes|-",
    ]);
    assert.deepEqual(await rowsOf("access", "grants"), [
      "WHO|RELATION|OBJECT|BY",
      "user:alice|assignee|role:developer|-",
      "group:staff#member|assignee|role:developer|identity.groups",
    ]);
    assert.deepEqual(await rowsOf("access", "holders", "app:install", "--app", "com.example.notes"), [
      "WHO|BECAUSE OF",
      "Alice (user:alice)|user:alice assignee role:developer",
      "|role:developer#assignee holder x",
    ]);
    assert.deepEqual(await rowsOf("access", "held", "user:alice"), [
      "PERMISSION|OF|BECAUSE OF",
      "app:view|platform|user:alice assignee role:developer",
    ]);
    assert.deepEqual(await rowsOf("access", "members", "com.example.notes"), ["LEVEL|WHO", "owner|user:bob"]);
    assert.deepEqual(await rowsOf("access", "people", "zoe"), ["no one matches"]);
    assert.deepEqual(await rowsOf("access", "groups"), [
      "GROUP|NAME|MEMBERS",
      "group:acme%2Fplatform#member|acme/platform|Alice (user:alice)",
    ]);
    const [who = "", link = ""] = await rowsOf("access", "invite", "alice@example.com", "--role", "readers");
    assert.match(who, /^user:alice completes the account/);
    assert.match(link, /http:.*\/login\/registration#token=secret$/);
  });

  test("asks, and lists and decides what people ask for", async () => {
    const notes = "com.example.notes";
    assert.deepEqual(await rowsOf("access", "ask", notes, "viewer", "--reason", "minutes"), [
      `administrators see that you ask for viewer of ${notes}`,
    ]);
    assert.deepEqual(await rowsOf("access", "requests"), [
      "AT|WHO|ASKS FOR|OF|REASON|STATE|ID",
      `2026-01-02T03:04:05.000Z|Alice (user:alice)|notes:read|${notes}|minutes \\x1b[2J|OPEN|q-1`,
    ]);
    assert.deepEqual(await rowsOf("access", "accept", "q-1"), [`Alice (user:alice) has notes:read of ${notes} now`]);
    assert.deepEqual(await rowsOf("access", "decline", "q-1"), [`Alice (user:alice) does not get notes:read of ${notes}`]);
    assert.partialDeepStrictEqual(requests, [
      { method: "requestAccess", request: { appName: notes, access: "viewer", reason: "minutes" } },
      { method: "accessRequests", request: { own: false } },
      { method: "decideAccessRequest", request: { id: "q-1", decision: "GRANT" } },
      { method: "decideAccessRequest", request: { id: "q-1", decision: "DECLINE" } },
    ]);
  });

  test("grants and revokes", async () => {
    const tuple = ["user:bob", "assignee", "role:developer"];
    assert.deepEqual(await rowsOf("access", "grant", ...tuple), [`${tuple.join(" ")} is granted`]);
    assert.deepEqual(await rowsOf("access", "revoke", ...tuple), [`${tuple.join(" ")} is revoked`]);
    assert.deepEqual(
      requests.map(({ method }) => method),
      ["grantAccess", "revokeAccess"],
    );
  });
});
