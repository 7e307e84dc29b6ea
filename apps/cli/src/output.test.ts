import assert from "node:assert/strict";
import { test } from "node:test";
import { appTable } from "./output.ts";

test("a list shows which apps are asleep, and since when", () => {
  const app = {
    name: "com.example.notes",
    version: "1.0.0",
    availableVersion: null,
    state: "RUNNING",
    health: "HEALTHY",
  } as const;
  const rows = appTable(["2026-01-02T03:04:05.000Z", null].map((asleepSince) => ({ ...app, asleepSince }))).split("\n");
  assert.match(rows[1] ?? "", / {2}RUNNING, asleep since 2026-01-02T03:04:05\.000Z {2,}HEALTHY$/);
  assert.match(rows[2] ?? "", / {2}RUNNING {2,}HEALTHY$/);
});
