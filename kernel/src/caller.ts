import type { PipelineBounds } from "./pipeline-bounds.ts";

/** The sender of a request, as every transport passes it to use cases. */
export type Caller =
  | { readonly kind: "user"; readonly id: string; readonly displayName: string; readonly email?: string | undefined }
  | { readonly kind: "app"; readonly name: string; readonly id: string }
  | MachineCaller
  | { readonly kind: "anonymous" }
  /** The platform itself, or the development administrator where GraphQL authentication is off. */
  | { readonly kind: "system"; readonly reason: string };

/** A service account, by one of its tokens. */
export interface MachineCaller {
  readonly kind: "machine";
  readonly id: string;
  readonly name: string;
  readonly tokenId: string;
  /** What the token allows of what the account holds. Undefined: all of it. */
  readonly scopes?: readonly TokenScope[] | undefined;
  /** What binds the token of a trusted pipeline. Undefined for other tokens. */
  readonly pipeline?: PipelineBounds | undefined;
}

/** A part of what the token of a service account allows. */
export interface TokenScope {
  /** Undefined: every permission of the app. */
  readonly permission?: string | undefined;
  /** The app that owns the permission. Undefined: the platform. */
  readonly appName?: string | undefined;
}

export const anonymousCaller: Caller = { kind: "anonymous" };

/**
 * Returns the caller as the subject of a relationship tuple: `user:alice`, `machine:<id>`, `app:com.example.notes`.
 * Undefined for other callers.
 */
export function subjectOf(caller: Caller): string | undefined {
  if (caller.kind === "user") return `user:${caller.id}`;
  if (caller.kind === "machine") return `machine:${caller.id}`;
  if (caller.kind === "app") return `app:${caller.name}`;
  return undefined;
}

/** Returns whether the caller is a user or a service account: people act with both, and apps do not. */
export function hasAccount({ kind }: Caller): boolean {
  return kind === "user" || kind === "machine";
}

/** Returns the caller's name in events, history and the audit log. */
export function actorOf(caller: Caller): string {
  return subjectOf(caller) ?? caller.kind;
}
