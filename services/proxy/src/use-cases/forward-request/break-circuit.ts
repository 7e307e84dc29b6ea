import { type Clock, countedCaller, Rejection } from "@appserver/kernel";
import type { Step } from "./step.ts";

/** Refuses calls to an app that keeps failing, so that callers do not wait (docs/interface/proxy.md#circuit-breaker). */
export function breakCircuit(clock: Clock): Step {
  return (proxied) => {
    proxied.admittedAt = clock.monotonic();
    // What a backend under development does says nothing about the app.
    if (proxied.isTunnelled) return;
    const by = countedCaller(proxied.caller, proxied.remoteAddress);
    const admission = proxied.match.app.breaker.admit(by, proxied.admittedAt);
    if ("permit" in admission) {
      proxied.permit = admission.permit;
      return;
    }
    const retryAfterSeconds = Math.max(1, Math.ceil(admission.retryAfterMs / 1_000));
    throw new Rejection(
      "SERVICE_UNAVAILABLE",
      "circuit_open",
      "The app's backend keeps failing; the platform does not call it for a while.",
      {
        retryAfterSeconds,
        details: { reason: "circuit_open", retry_after: retryAfterSeconds },
      },
    );
  };
}
