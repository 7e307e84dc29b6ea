import { jsonMs, jsonText, type Logger, logJson, type WithLogJson } from "@appserver/kernel";
import type { Metrics, Span } from "@appserver/kernel/ports";
import { type FinishedRequest, HttpMetrics } from "./http-metrics.ts";

/** Counts, logs and traces requests at their end, however they were handled. */
export class FinishedRequests {
  readonly #counts: HttpMetrics;
  readonly #logger: Logger;

  constructor({ metrics, logger }: { readonly metrics: Metrics; readonly logger: Logger }) {
    this.#counts = new HttpMetrics(metrics);
    this.#logger = logger;
  }

  /** `isLogged`: whether the handler has written a log line of its own. */
  add(requestId: string, request: FinishedRequest, isLogged: boolean, span: Span | undefined): void {
    this.#counts.add(request);
    if (!isLogged) this.#logger.info(new FinishedLine(requestId, request), "request");
    if (!span) return;
    span.setAttribute("http.response.status_code", request.status);
    if (request.status >= 500) span.recordError(request.status);
    span.end();
  }
}

/** The fields of a log line. */
class FinishedLine implements FinishedRequest, WithLogJson {
  /** Letters, digits, `.`, `_` and `-`. */
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;

  constructor(requestId: string, { method, route, status, durationMs }: FinishedRequest) {
    this.requestId = requestId;
    this.method = method;
    this.route = route;
    this.status = status;
    this.durationMs = durationMs;
  }

  [logJson](): string {
    const { requestId, method, route, status, durationMs } = this;
    const texts = `"requestId":"${requestId}","method":${jsonText(method)},"route":${jsonText(route)}`;
    return `${texts},"status":${status},"durationMs":${jsonMs(durationMs)}`;
  }
}
