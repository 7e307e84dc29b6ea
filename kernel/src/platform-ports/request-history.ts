/** A finished request. It has no path, no query and no body. */
export interface HandledRequest {
  readonly requestId: string;
  readonly traceId: string;
  readonly method: string;
  /** The pattern of the app's route as its manifest has it, or that of the platform's own path. Undefined if no route matched. */
  readonly pattern: string | undefined;
  /** 499 if the client disconnected before its response began. */
  readonly status: number;
  /** Undefined for a request to the platform itself. */
  readonly app: string | undefined;
  /** As the actor of an audit entry: `user:alice`. */
  readonly caller: string;
  readonly durationMs: number;
  /** Until the headers of the app's response. Undefined if the request was not forwarded. */
  readonly upstreamMs: number | undefined;
  /** Why it was refused or aborted. */
  readonly reasonId: string | undefined;
}

/** Takes finished requests, to be found by their ids. A call costs little and never throws. */
export interface RequestLog {
  add(request: HandledRequest): void;
}

/** A stored request. */
export interface StoredRequest extends HandledRequest {
  /** When it began. */
  readonly at: Date;
}

/** Requests of the last hour, of every process (docs/interface/traces.md#requests). */
export interface RequestHistory {
  append(requests: readonly StoredRequest[]): Promise<void>;
  /**
   * Returns traces of the requests with this id, newest first, at most 10: for each caller those of its first and its last requests, so that
   * no caller hides the request of another one by its id.
   */
  tracesOf(requestId: string): Promise<readonly string[]>;
  /** Returns the first requests of these traces, oldest first. */
  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly StoredRequest[]>;
}
