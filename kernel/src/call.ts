import type { Caller } from "./caller.ts";
import { uuidv7 } from "./ids.ts";
import type { RequiredPermissions } from "./permissions.ts";
import { currentTraceparent } from "./telemetry/current-trace.ts";

/** One call of a use case. Every transport passes it with the input: `useCase(context, input, call)`. */
export interface Call {
  /** The authenticated sender. */
  readonly caller: Caller;
  /** Aborted when the result is not needed any more: the client has disconnected, or the stream or subscription has ended. */
  readonly signal: AbortSignal;
  /** Id of the request in logs and responses: the client's `x-request-id` if it is well formed, else a UUIDv7. */
  readonly requestId: string;
  /** Trace of the request (W3C Trace Context), for audit entries and events. Undefined outside of a trace. */
  readonly traceparent?: string | undefined;
  /** Present if the caller may lose a permission while the call lasts: a stream or a subscription. */
  readonly required?: RequiredPermissions | undefined;
}

/** Returns a call of the platform itself, which holds every permission, in the current trace. */
export function platformCall(reason: string): Call {
  return {
    caller: { kind: "system", reason },
    signal: new AbortController().signal,
    requestId: uuidv7(),
    traceparent: currentTraceparent(),
  };
}
