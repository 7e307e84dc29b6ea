import assert from "node:assert/strict";
import { platformVariant } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";

/** Returns the engine that runs the apps of the platform. Undefined if they run as processes. The caller stops it. */
export async function platformEngine(): Promise<TestDockerEngine | undefined> {
  if (platformVariant === "embedded") return undefined;
  const engine = await dockerEngineForTests();
  assert.ok(engine instanceof TestDockerEngine);
  return engine;
}
