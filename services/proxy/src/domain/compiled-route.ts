import type { CompiledLimit } from "./limits.ts";

/** What a request must fulfil. */
export interface Guard {
  /** Nothing: callers are not even asked for. */
  readonly isPublic: boolean;
  /** Scope objects that the caller must hold, all of them. */
  readonly scopeObjects: readonly string[];
  readonly scopes: readonly string[];
}

export interface CompiledRoute extends Guard {
  readonly id: string;
  readonly pattern: string;
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly timeoutMs: number;
  readonly limit: CompiledLimit | undefined;
}
