import type { PlatformUnderTest } from "@appserver/testing/kit";

/** Waits until GraphQL returns this state of the app. Rejects with the app's current state after `timeoutMs`. */
export async function untilState(platform: PlatformUnderTest, name: string, state: string, timeoutMs = 30_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { data } = await platform.graphql("query ($name: String!) { app(name: $name) { state } }", { name });
    const is = (data as { app: { state: string } | null }).app?.state;
    if (is === state) return;
    if (performance.now() > deadline) throw new Error(`${name} is ${is}, not ${state}, after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
