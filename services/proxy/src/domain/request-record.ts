import type { ReasonId } from "@appserver/kernel";

/** One request, as input for the log line, the metrics and the stored requests. */
export interface RequestRecord {
  readonly requestId: string;
  readonly traceId: string;
  readonly method: string;
  /** Route id, never the raw path. Undefined if no route matched. */
  readonly route: string | undefined;
  /** That of the route, as the manifest has it. */
  readonly pattern: string | undefined;
  /** 499 if the client disconnected before its response began. */
  readonly status: number;
  readonly app: string | undefined;
  readonly caller: string;
  readonly durationMs: number;
  readonly upstreamMs: number | undefined;
  /** Why the request was refused or aborted. */
  readonly reasonId: ReasonId | undefined;
}
