import { messageOf } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";

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
  return new DatabaseError(reasonOf(typeof code === "string" ? code : "", message), message, {
    cause: error,
    constraint: typeof constraint === "string" ? constraint : undefined,
  });
}

/** Whether the connection with this error can no longer be used. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // A server without disk or memory refuses the statement but keeps the connection.
  return (error.reason === "unavailable" && !isOutOfResources(error)) || error.message === noAnswer;
}

/** Whether the server could not write because its disk is full (disk_full). */
export function isDiskFull(error: unknown): boolean {
  return stateOf(error) === "53100";
}

/**
 * Whether another session changed the same object at the same moment, or kept it locked for longer than a statement may wait:
 * lock_not_available, deadlock_detected, and for objects of the catalogue an internal error of the routine that changes a row.
 */
export function isContention(error: DatabaseError): boolean {
  const { routine } = (error.cause ?? {}) as { routine?: unknown };
  return /^(55P03|40P01)$/.test(stateOf(error)) || routine === "simple_heap_update" || routine === "simple_heap_delete";
}

function isOutOfResources(error: DatabaseError): boolean {
  return /^53[124]00$/.test(stateOf(error));
}

function stateOf(error: unknown): string {
  const code = error instanceof DatabaseError ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
  return typeof code === "string" ? code : "";
}

function reasonOf(code: string, message: string): DatabaseError["reason"] {
  if (code === "23505") return "unique_violation";
  if (code === "23503") return "foreign_key_violation";
  if (code === "40001" || code === "40P01") return "serialization_failure";
  if (code === "57014" || code === "55P03" || message === noAnswer) return "timeout";
  if (unavailableStates.test(code) || unavailableSocketCodes.has(code) || unavailableMessages.test(message)) {
    return "unavailable";
  }
  return "other";
}
