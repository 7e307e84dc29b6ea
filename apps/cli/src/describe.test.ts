import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, usePlatform } from "../test/recorded-platform.ts";

usePlatform();

describe("appctl describe", () => {
  test("shows the reason, the container, the crash, the database, the storage and the transitions", async () => {
    const { code, stdout, stderr } = await appctl("describe", "com.example.notes");
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n").map((line) => line.replace(/ {2,}/g, "  "));
    const expected = [
      "reason  the app exited with code 1; the next attempt is at 2026-01-02T03:04:15.000Z",
      "certificate until  2036-01-02T03:04:05.000Z",
      "Container",
      "  state  RESTARTING",
      "  health check  GET /healthz every 10 s, timeout 2000 ms, unhealthy after 3 failures in a row",
      `  image digest  sha256:${"a".repeat(64)}`,
      "  restart count  2",
      "  created at  2026-01-02T03:04:05.000Z",
      "  limits  256 MiB memory, 512 CPU shares, 64 processes",
      "  out of date  no",
      "Instances",
      "  0f3c1b2a-4d5  node-1  yes  2026-01-02T03:04:05.000Z  0",
      "  1a2b3c4d-5e6  node-2  no  3  2026-01-02T03:04:05.000Z, over its memory  back-off 20s restarting failed container",
      "Events of deployments",
      "  2026-01-02T03:04:05.000Z  STARTING > RESTARTING  0198c0de-0000-7000-8000-000000000002  UPSTREAM_ERROR: the app exited with code 1",
      "  2026-01-02T03:04:05.000Z  > PENDING  0198c0de-0000-7000-8000-000000000002",
      "Last crash",
      "  exit code  1",
      "  | Error: FOO is not configured",
      "Database",
      "  size  1.2Gi",
      "  limit  1Gi",
      "  full  since 2026-01-02T03:04:05.000Z: the app gets no connections",
      "Storage",
      "  data  /data  1Gi  12.6Mi  2026-01-02T03:04:05.000Z  yes",
      "Transitions",
      "  2026-01-02T03:04:05.000Z  > REGISTERED  user:admin  registered",
    ];
    for (const line of expected) assert.ok(lines.includes(line), `${line}\n\nnot in\n\n${lines.join("\n")}`);
  });

  test("an app without a container, and JSON", async () => {
    const { stdout } = await appctl("describe", "com.example.clock");
    assert.match(stdout, /^Container\n {2}none\n\nStorage\n {2}none$/m);
    const json = JSON.parse((await appctl("--json", "describe", "com.example.notes")).stdout);
    assert.partialDeepStrictEqual(json, {
      name: "com.example.notes",
      deployment: { state: "RESTARTING", lastCrash: { exitCode: 1 }, limits: { memoryMb: 256 } },
    });
  });
});
