import {
  type Call,
  Cursors,
  invalidField,
  isUuid,
  type Page,
  type Permissions,
  pageOf,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { AuditEntry, AuditFilter, AuditLog } from "../ports.ts";
import { textOf } from "./filter-text.ts";

export interface AuditContext {
  readonly audit: Pick<AuditLog, "read" | "count">;
  readonly permissions: Permissions;
}

export interface AuditPageRequest {
  /** Default: every target. */
  readonly target?: string | null | undefined;
  readonly actor?: string | null | undefined;
  readonly client?: string | null | undefined;
  readonly action?: string | null | undefined;
  /** `success`, `denied` or `failure`. */
  readonly outcome?: string | null | undefined;
  /** RFC 3339: from this time on. */
  readonly since?: string | null | undefined;
  /** RFC 3339: before this time. */
  readonly until?: string | null | undefined;
  /** 1 to 250, default 50. */
  readonly first?: number | null | undefined;
  /** Opaque cursor of the last entry of the previous page. */
  readonly after?: string | null | undefined;
}

export interface AuditPage extends Page<AuditEntry> {
  /** Counts the entries over all pages; this costs a query. */
  totalCount(): Promise<number>;
}

const cursors = new Cursors("audit", isUuid);

/** Returns one page of the audit log, newest first. Needs `audit:view`. Throws INVALID_REQUEST for invalid arguments. */
export async function readAuditLog(
  { audit, permissions }: AuditContext,
  request: AuditPageRequest,
  call: Call,
): Promise<AuditPage> {
  await requirePermission(permissions, call, "audit:view");
  const filter = filterOf(request);
  const size = pageSize(request.first);
  const after = cursors.read(request.after);
  const found = await audit.read({ ...filter, ...(after === undefined ? {} : { after }), limit: size + 1 });
  return { ...pageOf(found, size), totalCount: () => audit.count(filter) };
}

const outcomes = ["success", "denied", "failure"] as const;

function filterOf({ outcome: named, ...request }: AuditPageRequest): AuditFilter {
  const outcome = outcomes.find((each) => each === named);
  if (named != null && outcome === undefined) throw invalidField("outcome", `must be ${outcomes.join(", ")}`);
  return {
    ...textOf("target", request.target),
    ...textOf("actor", request.actor),
    ...textOf("client", request.client),
    ...textOf("action", request.action),
    ...(outcome === undefined ? {} : { outcome }),
    ...(request.since == null ? {} : { since: new Date(request.since) }),
    ...(request.until == null ? {} : { until: new Date(request.until) }),
  };
}

/** Returns the cursor of an entry, opaque to clients. */
export function auditCursorOf({ id }: AuditEntry): string {
  return cursors.of(id);
}

/** Returns the first entries of these traces, oldest first. Needs `audit:view`. */
export async function readTracedEntries(
  { audit, permissions }: { readonly audit: Pick<AuditLog, "ofTraces">; readonly permissions: Permissions },
  traceIds: readonly string[],
  limit: number,
  call: Call,
): Promise<readonly AuditEntry[]> {
  await requirePermission(permissions, call, "audit:view");
  return audit.ofTraces(traceIds, limit);
}
