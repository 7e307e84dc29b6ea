import assert from "node:assert/strict";
import { test } from "node:test";
import { containerError, startError } from "./container-error.ts";
import { EngineError } from "./engine-client.ts";

test("a refusal of the engine and its failure have different reasons", () => {
  const reasonOf = (status: number, message: string) => {
    const error = containerError("app-x", new EngineError(status, message));
    return error instanceof Error && "reason" in error ? error.reason : undefined;
  };
  assert.equal(reasonOf(400, "invalid mount config"), "refused");
  assert.equal(reasonOf(500, "no space left on device"), "other");
  assert.equal(reasonOf(409, "Conflict. The container name is already in use"), "other");
  const other = new Error("other");
  assert.equal(containerError("app-x", other), other);
});

test("a start that fails because of the image and one that fails because of the engine have different reasons", () => {
  for (const [status, message, reason] of [
    [400, 'failed to create task: exec: "nope": executable file not found in $PATH', "start_failed"],
    [500, "crun: executable file `nope` not found in $PATH: No such file or directory", "start_failed"],
    [500, "runc create failed: exec /app: exec format error", "start_failed"],
    [500, "unable to find user app: no matching entries in passwd file", "start_failed"],
    [500, "mkdir /var/lib/docker/overlay2/x: no space left on device", "other"],
    [500, "driver failed programming external connectivity: address already in use", "other"],
    [404, "network 0193 not found", "other"],
    [503, "the engine is shutting down", "other"],
  ] as const)
    assert.equal(startError("app-x", new EngineError(status, message)).reason, reason, message);
});
