import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create } from "@bufbuild/protobuf";
import { declaredLimits, excessiveLimits } from "./excessive-limits.ts";

const most = { memoryMb: 1_024, cpuShares: 2_048, pids: 512 };
const messages = (resources: { memoryMb?: number; cpuShares?: number; pids?: number } | undefined) => {
  const manifest = create(AppManifestSchema, resources ? { resources } : {});
  return excessiveLimits("notes", "1.0.0", declaredLimits(manifest), most).map(({ code, message }) => `${code}: ${message}`);
};

test("limits up to the maximum, and absent ones, are no problem", () => {
  assert.deepEqual(
    [messages(undefined), messages({}), messages({ memoryMb: 1_024, cpuShares: 2_048, pids: 512 })],
    [[], [], []],
  );
});

test("each limit above the maximum is a problem that names the option", () => {
  const problem = (field: string, value: number, highest: number, option: string) =>
    `INVALID_STATE: notes 1.0.0 declares resources.${field} ${value}, and this platform allows at most ${highest}; an operator can raise ${option}`;
  assert.deepEqual(messages({ memoryMb: 1_025, cpuShares: 2_049, pids: 513 }), [
    problem("memory_mb", 1_025, 1_024, "containers.max_memory_mb"),
    problem("cpu_shares", 2_049, 2_048, "containers.max_cpu_shares"),
    problem("pids", 513, 512, "containers.max_pids"),
  ]);
});
