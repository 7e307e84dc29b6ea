import type { IncomingMessage, ServerResponse } from "node:http";
import { constants as http2, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { BodyPace, type PaceProblem } from "./body-pace.ts";
import { bodyRefusal, refusedBodyGraceMs } from "./body-refusal.ts";
import { hasBody } from "./node-request.ts";
import type { SlowBodies } from "./slow-bodies.ts";

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
  readonly #slow: SlowBodies;
  readonly #bodies = new Map<IncomingMessage, Watched>();

  /** `limitMs`: the longest pause. */
  constructor(limitMs: number, slow: SlowBodies) {
    this.#limitMs = limitMs;
    this.#slow = slow;
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
    watched.cutAt = nowMs + refusedBodyGraceMs;
    if (request.listenerCount("error") === 0) this.#cut(request, watched);
    else request.emit("error", bodyRefusal(problem, this.#limitMs));
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
