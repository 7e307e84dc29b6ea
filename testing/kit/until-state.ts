import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import type { PlatformUnderTest } from "./platform-under-test.ts";

/** Waits until GraphQL returns this state of the app. Rejects with the app's current state after `timeoutMs`. */
export async function untilState(platform: PlatformUnderTest, name: string, state: string, timeoutMs = 30_000): Promise<void> {
  const look = async (): Promise<void> => {
    const { data } = await platform.graphql("query ($name: String!) { app(name: $name) { state } }", { name });
    assert.equal((data as { app: { state: string } | null }).app?.state, state);
  };
  await eventually(look, undefined, { timeoutMs, what: `${name} is ${state}` });
}
