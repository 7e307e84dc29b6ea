import type { Caller } from "../caller.ts";
import { subjectOf } from "../caller.ts";
import type { AuditRecord } from "../platform-ports/audit-log.ts";
import { currentTraceparent } from "../telemetry/current-trace.ts";
import { parseTraceparent } from "../telemetry/trace-context.ts";

/** The user to record in an audit entry, and the trace that the action belongs to. */
export type AuditedUser = Pick<AuditRecord, "actor" | "traceId">;

/**
 * Returns the caller for an audit entry if it is a user, with the current trace. Triggers and runs of users are audited.
 * Returns undefined for other callers: calls between apps are too frequent to audit.
 */
export function auditedUser(caller: Caller): AuditedUser | undefined {
  const actor = caller.kind === "user" ? subjectOf(caller) : undefined;
  if (actor === undefined) return undefined;
  const traceId = parseTraceparent(currentTraceparent())?.traceId;
  return { actor, ...(traceId === undefined ? {} : { traceId }) };
}
