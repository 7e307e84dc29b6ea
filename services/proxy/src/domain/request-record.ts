import type { ReasonId } from "./refusal.ts";

/** One request as the log line and metrics tell it. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** Route id, never the raw path; undefined when none matched. */
  readonly route: string | undefined;
  /** 499 when the client went away before its answer began. */
  readonly status: number;
  readonly app: string | undefined;
  readonly caller: string;
  readonly durationMs: number;
  readonly upstreamMs: number | undefined;
  /** Why it was not served, or broke off. */
  readonly reasonId: ReasonId | undefined;
}
