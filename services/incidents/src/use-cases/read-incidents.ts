import {
  type Call,
  Cursors,
  isUuid,
  type Page,
  type Permissions,
  pageOf,
  pageSize,
  requirePermission,
} from "@appserver/kernel";
import type { Incident } from "../domain/incident.ts";
import type { IncidentStore } from "../ports.ts";

export interface IncidentsContext {
  readonly store: Pick<IncidentStore, "list" | "count">;
  readonly permissions: Permissions;
}

export interface IncidentPageRequest {
  readonly isOpen?: boolean | undefined;
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Opaque cursor of the last one seen. */
  readonly after?: string | undefined;
}

export interface IncidentPage extends Page<Incident> {
  /** Counts all matches; this costs a query. */
  totalCount(): Promise<number>;
}

const cursors = new Cursors("incident", isUuid);

/** Returns one page of incidents: those that last first, each part newest first. Needs `event:view`. */
export async function readIncidents(
  { store, permissions }: IncidentsContext,
  { isOpen, first, after }: IncidentPageRequest,
  call: Call,
): Promise<IncidentPage> {
  await requirePermission(permissions, call, "event:view");
  const size = pageSize(first);
  const found = await store.list({ isOpen }, size + 1, cursors.read(after));
  return { ...pageOf(found, size), totalCount: () => store.count({ isOpen }) };
}

/** Returns the cursor of an incident, opaque to clients. */
export function incidentCursorOf({ id }: Incident): string {
  return cursors.of(id);
}
