import { type PostForwarding, type RunPostBody, type SignedPost, signedPost } from "@appserver/contracts/webhooks";
import { limits } from "./limits.ts";
import { completedWith, failedWith, invalidOutput, isDetails, type ReportedError } from "./reported-outcome.ts";
import type { RunRecord } from "./run.ts";
import type { Outcome } from "./run-outcome.ts";

/** Maximum bytes of a response that are read: one more than an output may have. */
export const maxAnswerBytes = limits.outputBytes + 1;

/** Builds an attempt of a run as a signed POST. `input` is JSON text, `now` epoch ms. */
export function runPost(
  run: RunRecord,
  input: string | undefined,
  platformKeys: readonly Uint8Array[],
  now: number,
  forwarding: PostForwarding,
): SignedPost {
  const { id, appName, activity, attempt, timeoutMs, traceparent } = run;
  const rest: Omit<RunPostBody, "input"> = { id, activity, attempt, timeoutMs };
  const body = new TextEncoder().encode(`${JSON.stringify(rest).slice(0, -1)},"input":${input ?? "null"}}`);
  return signedPost({ appName, id, body, userAgent: "appserver-activities", traceparent }, platformKeys, now, forwarding);
}

/** Statuses of refusals that are not about the run: another attempt may pass. */
const retried: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/**
 * Returns the outcome of an attempt by the response of the backend (docs/interface/activities.md#runs-over-http). Undefined for 202:
 * the app reports later.
 */
export function outcomeOfAnswer({ status, body }: { readonly status: number; readonly body: Uint8Array }): Outcome | undefined {
  if (status === 202) return undefined;
  if (status >= 200 && status < 300) return outputOf(body);
  if (status >= 500) return { kind: "crashed", message: `the app's backend responded with ${status}${reasonIn(body)}` };
  const failed = failedWith(errorOf(status, body));
  return retried.has(status) ? failed : { ...failed, ...(failed.kind === "failed" ? { final: true } : {}) };
}

function outputOf(body: Uint8Array): Outcome {
  if (body.byteLength === 0) return { kind: "completed", output: undefined };
  if (body.byteLength > limits.outputBytes) return invalidOutput(`must be at most ${limits.outputBytes} bytes as JSON`);
  const text = textOf(body);
  return parsed(text) === undefined ? invalidOutput("the response of the app's backend is not JSON") : completedWith(text);
}

/** Reads `{ error, code, details }`, the form of the platform's own errors. Any other body is the message. */
function errorOf(status: number, body: Uint8Array): ReportedError {
  const responded = `the app's backend responded with ${status}`;
  const text = textOf(body.subarray(0, maxErrorBytes));
  const value = parsed(text);
  if (typeof value !== "object" || value === null) return { message: text.trim() === "" ? responded : text };
  const { error, code, details } = value as Readonly<Record<string, unknown>>;
  return {
    message: typeof error === "string" ? error : responded,
    ...(typeof code === "string" ? { code } : {}),
    ...(isDetails(details) ? { details } : {}),
  };
}

/** Maximum bytes of a body that are read as an error. */
const maxErrorBytes = 64 * 1024;

function reasonIn(body: Uint8Array): string {
  const { message } = errorOf(0, body.subarray(0, maxErrorBytes));
  return body.byteLength === 0 ? "" : `: ${message.slice(0, limits.messageLength - 100)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
