import type { KeyObject } from "node:crypto";
import { forwardSignature, forwardSignatureHeader, userEmailHeader, userNameHeader } from "@appserver/contracts/forwarding";
import type { Caller } from "@appserver/kernel";
import type { PersonTexts } from "./person-texts.ts";

/** What the signature of a forwarded request needs, besides the caller. */
export interface ForwardSigning {
  readonly key: KeyObject;
  /** Seconds since the epoch. */
  readonly seconds: number;
  readonly method: string;
  /** Path and query that the backend receives. */
  readonly target: string;
}

/** The facts about one request that the platform's headers contain. */
export interface RequestFacts {
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly protocol: "http" | "https";
  /** The host as the client named it. */
  readonly host: string | undefined;
  /** What was removed from the public path. Undefined if the backend receives the whole path. */
  readonly prefix: string | undefined;
  /** The hops that the request has passed, this platform as the last one. */
  readonly via: string;
  readonly caller: Caller;
  /** Undefined if the backend does not receive the name of the caller. */
  readonly person?: PersonTexts | undefined;
  readonly traceparent: string;
  /** Undefined if requests to the app are not signed. */
  readonly signing?: ForwardSigning;
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
  "x-forwarded-prefix": ({ prefix }) => prefix,
  via: ({ via }) => via,
  "x-user-id": userId,
  "x-app-name": appName,
  "x-machine-id": machineId,
  [userNameHeader]: ({ person }) => person?.userName,
  [userEmailHeader]: ({ person }) => person?.userEmail,
  traceparent: ({ traceparent }) => traceparent,
  [forwardSignatureHeader]: signature,
};

function userId({ caller }: RequestFacts): string | undefined {
  return caller.kind === "user" ? caller.id : undefined;
}

function appName({ caller }: RequestFacts): string | undefined {
  return caller.kind === "app" ? caller.name : undefined;
}

function machineId({ caller }: RequestFacts): string | undefined {
  return caller.kind === "machine" ? caller.id : undefined;
}

function signature(facts: RequestFacts): string | undefined {
  const { signing } = facts;
  if (!signing) return undefined;
  const { key, seconds, method, target } = signing;
  const identity = { userId: userId(facts) ?? "", appName: appName(facts) ?? "", machineId: machineId(facts), ...facts.person };
  return forwardSignature(key, seconds, { method, target, ...identity });
}

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
