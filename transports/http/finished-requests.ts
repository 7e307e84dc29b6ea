import type { Logger } from "@appserver/kernel";
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
    if (!isLogged) this.#logger.info({ requestId, ...request }, "request");
    if (!span) return;
    span.setAttribute("http.response.status_code", request.status);
    if (request.status >= 500) span.recordError(request.status);
    span.end();
  }
}
