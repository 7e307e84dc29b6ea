import type { AppBounds, PipelineBounds } from "./caller-bounds.ts";

/** The sender of a request, as every transport passes it to use cases. */
export type Caller =
  | UserCaller
  | { readonly kind: "app"; readonly name: string; readonly id: string }
  | MachineCaller
  | { readonly kind: "anonymous" }
  /** The platform itself, or the development administrator where GraphQL authentication is off. */
  | { readonly kind: "system"; readonly reason: string };

export interface UserCaller extends ActingByAgent {
  readonly kind: "user";
  readonly id: string;
  readonly displayName: string;
  readonly email?: string | undefined;
}

/** A caller for whom a language model may act. */
interface ActingByAgent {
  /** Present if a language model sends the request and reads the response. */
  readonly agent?: AgentBounds | undefined;
}

/** What binds a language model, in addition to what its person may do: it never sees secrets. */
export interface AgentBounds {
  /** The program that runs the model, at most 120 characters. `said: ` before it: it named itself so. Undefined: not known yet. */
  readonly client?: string | undefined;
  /** Whether it changes nothing, whatever its person may change. */
  readonly isReadOnly?: boolean | undefined;
  /** The apps that its person has given to it. Undefined: all, and the platform. */
  readonly bounds?: AppBounds | undefined;
}

/** A service account, by one of its tokens. */
export interface MachineCaller extends ActingByAgent {
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

/** Returns what binds the language model that acts for the caller. Undefined if none does. */
export function agentOf(caller: Caller): AgentBounds | undefined {
  return caller.kind === "user" || caller.kind === "machine" ? caller.agent : undefined;
}

/** Returns whether the caller is a user or a service account: people act with both, and apps do not. */
export function hasAccount({ kind }: Caller): boolean {
  return kind === "user" || kind === "machine";
}

/** Returns the caller's name in events, history and the audit log. */
export function actorOf(caller: Caller): string {
  return subjectOf(caller) ?? caller.kind;
}
