import { type Call, type Caller, currentTraceparent } from "@appserver/kernel";

/** Returns a call as a transport passes it to use cases, in the current trace. */
export function callBy(caller: Caller, more: Partial<Call> = {}): Call {
  return { caller, signal: new AbortController().signal, requestId: "test", traceparent: currentTraceparent(), ...more };
}
