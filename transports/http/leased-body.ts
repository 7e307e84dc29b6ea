import type { BufferLease, InboundRequest, MaybePromise } from "@appserver/kernel";
import { readBody } from "./json-body.ts";

/** The body of one request: read once, on demand, and counted in the budget until `release`. */
export interface LeasedBody {
  /** Throws or rejects with 413, 415, or RATE_LIMIT_EXCEEDED if the budget is used up. */
  read(): MaybePromise<Uint8Array>;
  /** Reads it in the share of the app whose key signed the request. */
  readFor(appName: string): MaybePromise<Uint8Array>;
  /** Marks the body as a proven caller's, so that it no longer counts in the unproven callers' part of the budget. */
  prove(): void;
  /** Releases the body when it is not needed any more. */
  release(): void;
}

/** The body is held in the lease, which is released with it. */
export function leasedBody(request: InboundRequest, maxBytes: number, lease: BufferLease): LeasedBody {
  let body: MaybePromise<Uint8Array> | undefined;
  const read = (): MaybePromise<Uint8Array> => {
    body ??= readBody(request, maxBytes, lease);
    return body;
  };
  return {
    read,
    readFor: (appName) => {
      lease.countFor(appName);
      return read();
    },
    prove: () => lease.prove(),
    release: () => lease.release(),
  };
}
