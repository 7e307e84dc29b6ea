import type { IncomingMessage } from "node:http";
import type { BufferBudget } from "@appserver/kernel";
import { readBody } from "./json-body.ts";

/** The body of one request: read once, when somebody needs it, and counted in the budget until `release`. */
export interface LeasedBody {
  /** Rejects with 413, 415, and RATE_LIMIT_EXCEEDED where the budget is used up. */
  read(): Promise<Buffer>;
  /** The caller proved who it is: its body no longer counts as a stranger's. */
  prove(): void;
  /** The body is needed no more. */
  release(): void;
}

export function leasedBody(request: IncomingMessage, maxBytes: number, budget: BufferBudget): LeasedBody {
  const lease = budget.lease();
  let body: Promise<Buffer> | undefined;
  return {
    read: () => {
      body ??= readBody(request, maxBytes, lease);
      return body;
    },
    prove: () => lease.prove(),
    release: () => lease.release(),
  };
}
