import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** How an activity is run; what is left out has the platform's default. */
export interface ActivityOptions {
  /** JSON Schema of the input: the platform refuses what breaks it. */
  readonly inputSchema?: JsonObject;
  /** Default 15 minutes. */
  readonly timeoutMs?: number;
  /** Attempts after the first. Default 3. */
  readonly maxRetries?: number;
  /** Runs at a time, over all workers of the app. Default unlimited. */
  readonly concurrency?: number;
  /** Runs with the same key never overlap. */
  readonly singletonKey?: string;
  /** When the platform starts it by itself. */
  readonly schedule?: {
    /** One of `cron` and `everySeconds`. */
    readonly cron?: string;
    readonly everySeconds?: number;
    /** IANA name. Default UTC. */
    readonly timezone?: string;
    readonly input?: JsonValue;
  };
}

/** One attempt of a run, as its handler sees it. */
export interface ActivityRun {
  readonly runId: string;
  /** 1 for the first. A run may be started again though it was finished: make what you do safe to repeat. */
  readonly attempt: number;
  readonly input: JsonValue | undefined;
  /** Aborted when the run is to stop: somebody canceled it, or it is no longer this worker's. */
  readonly signal: AbortSignal;
  /** Shows how far it is, from 0 to 1, and what it does. Returns at once; reports in quick succession are sent as one. */
  progress(fraction: number, stage?: string): void;
}

/** Does the work. What it returns is the output, as `JSON.stringify` writes it; what it throws fails the attempt. */
export type ActivityHandler = (run: ActivityRun) => unknown;

/** A failure with a code of your own, or one that another attempt would only repeat. */
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
