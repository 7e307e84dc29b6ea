import { Rejection } from "@appserver/kernel";
import { type PaceProblem, slowBytesPerMinute } from "./body-pace.ts";
import { HttpStatusError } from "./error-response.ts";
import { slowBodyLimits } from "./slow-bodies.ts";

/** How long a client has to notice that its body was refused. */
export const refusedBodyGraceMs = 2_000;
const retryAfterSeconds = 30;

/** Returns what the reader of a body gets that stops coming or comes too slowly. `limitMs`: the longest pause. */
export function bodyRefusal(problem: PaceProblem, limitMs: number): HttpStatusError {
  const seconds = limitMs / 1_000;
  const rate = `${slowBytesPerMinute / 1_000_000} MB a minute`;
  if (problem === "crowded") {
    const message = `Too many bodies come more slowly than ${rate}: at most ${slowBodyLimits.ofCaller} of one caller at a time.`;
    const details = { reason: "slow_bodies", limit: slowBodyLimits.ofCaller, retry_after: retryAfterSeconds };
    return new HttpStatusError(
      429,
      new Rejection("RATE_LIMIT_EXCEEDED", "slow_bodies", message, { details, retryAfterSeconds }),
    );
  }
  const message =
    problem === "paused"
      ? `The request body stopped coming: nothing arrived for ${seconds} s.`
      : `The request body comes too slowly: after ${seconds} s it must come with at least ${rate}.`;
  return new HttpStatusError(408, new Rejection("INVALID_REQUEST", "body_timeout", message));
}
