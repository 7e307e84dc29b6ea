import type { Call } from "./call.ts";
import { actorOf, agentOf, type Caller, hasAccount } from "./caller.ts";
import type { AuditRecord } from "./platform-ports/audit-log.ts";
import { currentTraceparent } from "./telemetry/current-trace.ts";
import { parseTraceparent } from "./telemetry/trace-context.ts";

/** An action for the audit log (docs/interface/operations.md#audit-log). */
export interface AuditedAction extends Pick<AuditRecord, "action" | "target"> {
  /** Default `success`. */
  readonly outcome?: AuditRecord["outcome"];
  readonly details: NonNullable<AuditRecord["details"]>;
}

/** The actor of an action that outlives its call. */
export interface Initiator {
  /** Undefined: the platform. */
  readonly actor: string | undefined;
  /** The program of the language model that acted for the actor. Undefined: none did. */
  readonly client?: string | undefined;
}

/** The call that an action belongs to, or the initiator of an action that outlives its call. */
export type AuditOrigin = Pick<Call, "caller" | "traceparent"> | Initiator;

/** Returns the caller as the initiator of an action that outlives its call. */
export function initiatorOf(caller: Caller): Initiator & { readonly actor: string } {
  return { actor: actorOf(caller), client: agentOf(caller)?.client };
}

/** Returns the audit entry for an action, in the trace of its call. Without a call, in the current trace. */
export function auditEntry(origin: AuditOrigin, { action, target, details, outcome = "success" }: AuditedAction): AuditRecord {
  const isCall = "caller" in origin;
  const { actor = "system", client } = isCall ? initiatorOf(origin.caller) : origin;
  const traceId = parseTraceparent(isCall ? origin.traceparent : currentTraceparent())?.traceId;
  return {
    actor,
    ...(client === undefined ? {} : { client }),
    action,
    target,
    outcome,
    details,
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/** Does the same for calls of users and service accounts. Returns undefined for other callers: calls between apps are too frequent to audit. */
export function userAuditEntry(call: Pick<Call, "caller" | "traceparent">, action: AuditedAction): AuditRecord | undefined {
  return hasAccount(call.caller) ? auditEntry(call, action) : undefined;
}
