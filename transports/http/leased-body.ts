import type { IncomingMessage } from "node:http";
import type { BufferLease } from "@appserver/kernel";
import { readBody } from "./json-body.ts";

/** The body of one request: read once, on demand, and counted in the budget until `release`. */
export interface LeasedBody {
  /** Rejects with 413, 415, or RATE_LIMIT_EXCEEDED if the budget is used up. */
  read(): Promise<Buffer>;
  /** Reads it in the share of the app whose key signed the request. */
  readFor(appName: string): Promise<Buffer>;
  /** Marks the body as a proven caller's, so that it no longer counts in the unproven callers' part of the budget. */
  prove(): void;
  /** Releases the body when it is not needed any more. */
  release(): void;
}

/** The body is held in the lease, which is released with it. */
export function leasedBody(request: IncomingMessage, maxBytes: number, lease: BufferLease): LeasedBody {
  let body: Promise<Buffer> | undefined;
  const read = (): Promise<Buffer> => {
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
