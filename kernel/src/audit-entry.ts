import type { Call } from "./call.ts";
import { actorOf, hasAccount } from "./caller.ts";
import type { AuditRecord } from "./platform-ports/audit-log.ts";
import { currentTraceparent } from "./telemetry/current-trace.ts";
import { parseTraceparent } from "./telemetry/trace-context.ts";

/** An action for the audit log (docs/interface/operations.md#audit-log). */
export interface AuditedAction extends Pick<AuditRecord, "action" | "target"> {
  /** Default `success`. */
  readonly outcome?: AuditRecord["outcome"];
  readonly details: NonNullable<AuditRecord["details"]>;
}

/** The call that an action belongs to, or the actor of an action that outlives its call. An undefined actor is the platform. */
export type AuditOrigin = Pick<Call, "caller" | "traceparent"> | { readonly actor: string | undefined };

/** Returns the audit entry for an action, in the trace of its call. Without a call, in the current trace. */
export function auditEntry(origin: AuditOrigin, { action, target, details, outcome = "success" }: AuditedAction): AuditRecord {
  const isCall = "caller" in origin;
  const actor = isCall ? actorOf(origin.caller) : (origin.actor ?? "system");
  const traceId = parseTraceparent(isCall ? origin.traceparent : currentTraceparent())?.traceId;
  return { actor, action, target, outcome, details, ...(traceId === undefined ? {} : { traceId }) };
}

/** Does the same for calls of users and service accounts. Returns undefined for other callers: calls between apps are too frequent to audit. */
export function userAuditEntry(call: Pick<Call, "caller" | "traceparent">, action: AuditedAction): AuditRecord | undefined {
  return hasAccount(call.caller) ? auditEntry(call, action) : undefined;
}
