import type { Caller } from "@appserver/kernel";

/** The facts about one request that the platform's headers contain. */
export interface RequestFacts {
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly protocol: "http" | "https";
  /** The host as the client named it. */
  readonly host: string | undefined;
  readonly caller: Caller;
  readonly traceparent: string;
}

/**
 * Every header that only the platform sends to a backend, with its value; undefined if the request has none. Callers cannot send
 * a header of this table, even if the app lists it (docs/interface/proxy.md#reserved-headers). Names are in lower case.
 */
const table: Readonly<Record<string, (facts: RequestFacts) => string | undefined>> = {
  "x-request-id": ({ requestId }) => requestId,
  "x-forwarded-for": ({ remoteAddress }) => remoteAddress,
  "x-forwarded-proto": ({ protocol }) => protocol,
  "x-forwarded-host": ({ host }) => host,
  "x-user-id": ({ caller }) => (caller.kind === "user" ? caller.id : undefined),
  "x-app-name": ({ caller }) => (caller.kind === "app" ? caller.name : undefined),
  traceparent: ({ traceparent }) => traceparent,
};
const entries = Object.entries(table);

/** Names of the platform's headers. No header of a caller with such a name, or its variant with underscores, is forwarded. */
export const platformHeaderNames: readonly string[] = Object.keys(table);

/** Appends the platform's headers to name, value, … */
export function pushPlatformHeaders(headers: string[], facts: RequestFacts): void {
  for (const [name, read] of entries) {
    const value = read(facts);
    if (value !== undefined) headers.push(name, value);
  }
}
