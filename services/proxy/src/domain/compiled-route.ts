import type { CompiledLimit } from "./limits.ts";

/** The requirements of a request. */
export interface Guard {
  /** No requirements: callers are not authenticated. */
  readonly isPublic: boolean;
  /** The caller must hold all of them. */
  readonly scopes: readonly RequiredScope[];
}

/** A permission of the app `owner`, or of the platform if it is undefined. */
export interface RequiredScope {
  readonly permission: string;
  readonly owner: string | undefined;
}

export interface CompiledRoute extends Guard {
  readonly id: string;
  readonly pattern: string;
  /** Undefined: every method is allowed. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly timeoutMs: number;
  readonly limit: CompiledLimit | undefined;
}
