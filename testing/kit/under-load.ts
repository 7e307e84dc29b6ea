import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { RequestLoad, type SendRequest } from "./request-load.ts";

const timeoutMs = 60_000;
/** Responses of each kind before the work begins. */
const responsesBefore = 20;
/** Requests of the kind `calls` at the same time, some 400 a second; and of `slow`, of which some run at each moment. */
const callers = { calls: 10, slow: 25 };

/** Requests a path of the servers in turn. Rejects with the response if it is not 200. The proxy never repeats a POST. */
export function inTurn(httpUrls: readonly string[], path: string, method: "GET" | "POST" = "GET"): SendRequest {
  let turn = 0;
  const post = { method, headers: { "content-type": "application/json" }, body: "{}" };
  return async () => {
    const url = `${httpUrls[turn++ % httpUrls.length]}${path}`;
    await contentsOf(url, method === "POST" ? post : {});
    return 200;
  };
}

/** Returns what is at the URL. Rejects with the response if it is not 200. */
export async function contentsOf(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} returned ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** Calls `work` during a load. Fails if a request failed. Prints what was sent, and returns the number of responses. */
export async function underLoad(
  t: TestContext,
  requests: Readonly<Record<string, SendRequest>>,
  work: () => Promise<unknown>,
): Promise<number> {
  const load = new RequestLoad(requests, "load", callers);
  try {
    await load.responded(responsesBefore);
    await work();
  } finally {
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
  }
  assert.deepEqual(load.failed(), []);
  return load.count;
}
