import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** Options of an activity. Omitted options have the platform's defaults. */
export interface ActivityOptions {
  /** JSON Schema of the input. The platform refuses invalid input. */
  readonly inputSchema?: JsonObject;
  /** Default 15 minutes. */
  readonly timeoutMs?: number;
  /** Maximum number of attempts after the first. Default 3. */
  readonly maxRetries?: number;
  /** Maximum number of concurrent runs over all workers of the app. Default unlimited. */
  readonly concurrency?: number;
  /** Runs with the same key never overlap. */
  readonly singletonKey?: string;
  /** Schedule on which the platform starts runs. */
  readonly schedule?: {
    /** Exactly one of `cron` and `everySeconds` is set. */
    readonly cron?: string;
    readonly everySeconds?: number;
    /** IANA name. Default UTC. */
    readonly timezone?: string;
    readonly input?: JsonValue;
  };
}

/** One attempt of a run, as passed to its handler. */
export interface ActivityRun {
  readonly runId: string;
  /** 1 for the first attempt. A finished run may be started again, so the handler must be safe to repeat. */
  readonly attempt: number;
  readonly input: JsonValue | undefined;
  /** W3C Trace Context of the trigger. */
  readonly traceparent: string | undefined;
  /** Aborted when the run must stop: it was canceled, or it was assigned to another worker. */
  readonly signal: AbortSignal;
  /** Reports the progress, from 0 to 1, and the current stage. Returns at once. Reports in quick succession are merged. */
  progress(fraction: number, stage?: string): void;
}

/** Runs one attempt. The returned value, as `JSON.stringify` writes it, is the output. A thrown error fails the attempt. */
export type ActivityHandler = (run: ActivityRun) => unknown;

/** A failure with a code that the app chooses, or one that must not be retried. */
export class ActivityError extends Error {
  override readonly name = "ActivityError";
  readonly code: string;
  readonly retry: boolean;

  constructor(message: string, options: { readonly code?: string; readonly retry?: boolean } = {}) {
    super(message);
    this.code = options.code ?? "FAILED";
    this.retry = options.retry ?? true;
  }
}
