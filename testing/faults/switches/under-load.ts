import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type Question, RequestLoad } from "../request-load.ts";

const timeoutMs = 60_000;
/** Responses of each kind before the work begins. */
const answersBefore = 20;
/** Requests of the kind `calls` at the same time, some 400 a second; and of `slow`, of which some run at each moment. */
const callers = { calls: 10, slow: 25 };

/** Requests a path of the servers in turn. Rejects with the response if it is not 200. The proxy never repeats a POST. */
export function inTurn(httpUrls: readonly string[], path: string, method: "GET" | "POST" = "GET"): Question {
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
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} returned ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

/** Calls `work` during a load. Fails if a request failed. Prints what was sent. */
export async function underLoad(
  t: TestContext,
  questions: Readonly<Record<string, Question>>,
  work: () => Promise<unknown>,
): Promise<void> {
  const load = new RequestLoad(questions, "load", callers);
  try {
    await load.answered(answersBefore);
    await work();
  } finally {
    await load.stop();
    for (const line of load.report()) t.diagnostic(line);
  }
  assert.deepEqual(load.failed(), []);
}
