import type { CompiledLimit } from "./limits.ts";

/** The requirements of a request. */
export interface Guard {
  /** No requirements: callers are not authenticated. */
  readonly isPublic: boolean;
  /** Scope objects. The caller must hold all of them. */
  readonly scopeObjects: readonly string[];
  readonly scopes: readonly string[];
}

export interface CompiledRoute extends Guard {
  readonly id: string;
  readonly pattern: string;
  /** Undefined: every method is allowed. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly timeoutMs: number;
  readonly limit: CompiledLimit | undefined;
}
