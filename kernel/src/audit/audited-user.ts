import type { Caller } from "../caller.ts";
import { subjectOf } from "../caller.ts";
import type { AuditRecord } from "../platform-ports/audit-log.ts";
import { currentTraceparent } from "../telemetry/current-trace.ts";
import { parseTraceparent } from "../telemetry/trace-context.ts";

/** Who answers for what is recorded, and the trace that it belongs to. */
export type AuditedUser = Pick<AuditRecord, "actor" | "traceId">;

/**
 * The caller as the audit log has it, where it is a user: people answer for their triggers and runs, while what apps do to
 * each other all day is no deed of anybody. In the trace under way.
 */
export function auditedUser(caller: Caller): AuditedUser | undefined {
  const actor = caller.kind === "user" ? subjectOf(caller) : undefined;
  if (actor === undefined) return undefined;
  const traceId = parseTraceparent(currentTraceparent())?.traceId;
  return { actor, ...(traceId === undefined ? {} : { traceId }) };
}
