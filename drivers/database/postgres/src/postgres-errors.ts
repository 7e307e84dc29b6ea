import { messageOf } from "@appserver/kernel";
import { DatabaseError, type ExhaustedResource } from "@appserver/kernel/ports";

/** SQLSTATE codes and classes (PostgreSQL appendix A) which mean that this server cannot work now; a retry may succeed. */
const unavailableStates = /^(08...|57P0.|53...|25006)$/;
const unavailableSocketCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
]);
/** The client library reports a lost or refused connection only by message. */
const unavailableMessages =
  /connection terminated|not queryable|timeout exceeded when trying to connect|after calling end|connection ended/i;
/** The client library's message if the server did not enforce its own statement timeout. */
const noAnswer = "Query read timeout";

/** Converts any error of the client library or the server to the port's error. A DatabaseError is returned unchanged. */
export function toDatabaseError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const message = messageOf(error);
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const exhausted = exhaustedResource(error as { code?: unknown; file?: unknown });
  return new DatabaseError(exhausted ? "unavailable" : reasonOf(typeof code === "string" ? code : "", message), message, {
    cause: error,
    constraint: typeof constraint === "string" ? constraint : undefined,
    exhausted,
  });
}

/** Whether the connection with this error can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // A server that is out of disk, locks or notifications refuses the statement but keeps the connection.
  const isKept = /^(53[124]00|54000)$/.test(stateOf(error));
  return (error.reason === "unavailable" && !isKept) || error.message === noAnswer;
}

/**
 * Whether another session changed the same object at the same moment, or kept it locked for longer than a statement may wait:
 * lock_not_available, deadlock_detected, and for objects of the catalogue an internal error of the routine that changes a row.
 */
export function isContention(error: DatabaseError): boolean {
  const { routine } = (error.cause ?? {}) as { routine?: unknown };
  return /^(55P03|40P01)$/.test(stateOf(error)) || routine === "simple_heap_update" || routine === "simple_heap_delete";
}

function exhaustedResource({ code, file }: { code?: unknown; file?: unknown }): ExhaustedResource | undefined {
  if (code === "53100") return "disk";
  if (code === "53300") return "connections";
  // out_of_memory and program_limit_exceeded have many reasons. Files of the server tell these two apart from the others.
  if (code === "53200" && (file === "lock.c" || file === "predicate.c")) return "locks";
  return code === "54000" && file === "async.c" ? "notifications" : undefined;
}

function stateOf(error: unknown): string {
  const code = error instanceof DatabaseError ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
  return typeof code === "string" ? code : "";
}

function reasonOf(code: string, message: string): DatabaseError["reason"] {
  // An exclusion constraint is a unique one with another operator.
  if (code === "23505" || code === "23P01") return "unique_violation";
  if (code === "23503") return "foreign_key_violation";
  if (code === "40001" || code === "40P01") return "serialization_failure";
  if (code === "57014" || code === "55P03" || message === noAnswer) return "timeout";
  if (unavailableStates.test(code) || unavailableSocketCodes.has(code) || unavailableMessages.test(message)) {
    return "unavailable";
  }
  return "other";
}
