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
  /** As the client of an audit entry. */
  readonly client?: string | undefined;
  readonly durationMs: number;
  /** Until the headers of the app's response. Undefined if the request was not forwarded. */
  readonly upstreamMs: number | undefined;
  /** Why it was refused or aborted. */
  readonly reasonId: string | undefined;
}

/** Takes finished requests, to be found by their ids. A call costs little and never throws. */
export interface RequestLog {
  /** `endedAt`: epoch milliseconds, default now. */
  add(request: HandledRequest, endedAt?: number): void;
}

/** A stored request. */
export interface StoredRequest extends HandledRequest {
  /** When it began. */
  readonly at: Date;
}

/** A stored request with its place in the order of a list. */
export interface ListedRequest extends StoredRequest {
  /** A whole number. It orders requests that began at the same time. */
  readonly position: string;
}

/** Which requests are listed. Without a field all of them; texts match as a whole. */
export interface RequestFilter {
  readonly app?: string;
  readonly caller?: string;
  readonly method?: string;
  /** Only those with a status of 400 or above, or a reason. */
  readonly isFailed?: boolean;
  readonly minStatus?: number;
  readonly slowerThanMs?: number;
  /** Began from this time on. */
  readonly since?: Date;
  /** Began before this time. */
  readonly until?: Date;
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
  /** Returns requests that match, newest first, those after `after` in this order. */
  list(
    filter: RequestFilter,
    after: Pick<ListedRequest, "at" | "position"> | undefined,
    limit: number,
  ): Promise<readonly ListedRequest[]>;
}
