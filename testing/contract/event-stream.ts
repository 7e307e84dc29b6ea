import assert from "node:assert/strict";
import type { PlatformUnderTest } from "@appserver/testing/kit";

/** A system event as REST shows it. */
export interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly severity: string;
  readonly appName: string | null;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OpenEventStream {
  readonly body: ReadableStream<Uint8Array>;
  close(): void;
}

/** Opens the stream of the system events of an app. */
export async function openEventStream(
  platform: PlatformUnderTest,
  app: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenEventStream> {
  const accept = "text/event-stream";
  const abort = new AbortController();
  const response = await fetch(`${platform.httpUrl}/api/v2/events?app=${app}`, {
    headers: { ...platform.administrator, accept, ...headers },
    signal: abort.signal,
  });
  assert.equal(response.status, 200);
  return { body: response.body as ReadableStream<Uint8Array>, close: () => abort.abort() };
}

/** Reads a stream until `isComplete` returns true for the events so far that match, and returns these. */
export async function readEvents(
  { body }: OpenEventStream,
  matches: (event: ShownEvent) => boolean,
  isComplete: (found: readonly ShownEvent[]) => boolean,
): Promise<readonly ShownEvent[]> {
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    const complete = text.split("\n\n").slice(0, -1);
    const data = complete.flatMap((each) => /^data: (.*)$/m.exec(each)?.[1] ?? []);
    const found = data.map((each) => JSON.parse(each) as ShownEvent).filter(matches);
    if (isComplete(found)) return found;
  }
  return assert.fail(`the stream ended after ${text}`);
}
