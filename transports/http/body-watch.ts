import type { IncomingMessage, ServerResponse } from "node:http";
import { constants as http2, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Rejection } from "@appserver/kernel";
import { BodyPace, type PaceProblem, slowBytesPerMinute } from "./body-pace.ts";
import { HttpStatusError } from "./error-response.ts";
import { hasBody } from "./node-request.ts";
import { SlowBodies, slowBodyLimits } from "./slow-bodies.ts";

/** How long a client has to notice that its body was refused. */
const graceMs = 2_000;
const retryAfterSeconds = 30;

interface Watched {
  readonly pace: BodyPace;
  readonly response: ServerResponse;
  /** What carries the body. A reader that fails takes it from the request. */
  readonly carrier: Socket | ServerHttp2Stream;
  /** When the connection is cut in any case. Set once the request has its response, or was refused. */
  cutAt: number | undefined;
}

/**
 * Ends requests whose bodies stop coming or come too slowly (docs/interface/limits.md#bodies). The reader of the body gets an
 * `HttpStatusError` with a `Rejection` as its cause. A request that has its response already is cut.
 */
export class BodyWatch {
  readonly #limitMs: number;
  readonly #slow = new SlowBodies();
  readonly #bodies = new Map<IncomingMessage, Watched>();

  /** `limitMs`: the longest pause. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Must be called before the body is read. */
  watch(request: IncomingMessage, response: ServerResponse, nowMs: number): void {
    if (!hasBody(request)) return;
    const pace = new BodyPace(this.#limitMs, this.#slow, nowMs);
    this.#bodies.set(request, { pace, response, carrier: streamOf(request) ?? request.socket, cutAt: undefined });
    const { push } = request;
    // Both protocols pass on what arrives in this way, and its readers have listeners of their own.
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk === null) this.#forget(request, pace);
      else pace.add(chunk.length);
      return push.call(request, chunk, encoding);
    };
  }

  /** Undefined for a request without a body, and after the body. */
  paceOf(request: IncomingMessage): BodyPace | undefined {
    return this.#bodies.get(request)?.pace;
  }

  /** Called regularly. `nowMs` is monotonic. */
  judge(nowMs: number): void {
    for (const [request, watched] of this.#bodies) {
      const { pace, response, carrier } = watched;
      if (carrier.destroyed) this.#forget(request, pace);
      else if (watched.cutAt !== undefined) {
        if (nowMs >= watched.cutAt) this.#cut(request, watched);
      } else if (response.writableEnded) watched.cutAt = nowMs + this.#limitMs;
      else {
        const problem = pace.judge(nowMs, isAwaited(request));
        if (problem) this.#refuse(request, watched, problem, nowMs);
      }
    }
  }

  #refuse(request: IncomingMessage, watched: Watched, problem: PaceProblem, nowMs: number): void {
    watched.pace.end();
    watched.cutAt = nowMs + graceMs;
    if (request.listenerCount("error") === 0) this.#cut(request, watched);
    else request.emit("error", refusal(problem, this.#limitMs));
  }

  #cut(request: IncomingMessage, { pace, carrier }: Watched): void {
    this.#forget(request, pace);
    if ("close" in carrier) carrier.close(http2.NGHTTP2_CANCEL);
    else carrier.destroy();
  }

  #forget(request: IncomingMessage, pace: BodyPace): void {
    this.#bodies.delete(request);
    pace.end();
  }
}

function refusal(problem: PaceProblem, limitMs: number): HttpStatusError {
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

function streamOf(request: IncomingMessage): ServerHttp2Stream | undefined {
  return "stream" in request ? (request.stream as ServerHttp2Stream) : undefined;
}

/** Returns whether the server takes more of the body now: it has a reader, and what waits for the reader is not too much. */
function isAwaited(request: IncomingMessage): boolean {
  const stream = streamOf(request);
  if (stream) return stream.readableFlowing === true;
  const hasReader = request.readableFlowing !== null || request.listenerCount("readable") > 0;
  return hasReader && request.readableLength < request.readableHighWaterMark;
}
