import { infiniteQueryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { AuditLogDocument, type AuditRowFragment } from "../../generated/operations.ts";
import type { AuditFilter } from "./filter.ts";

export type AuditRow = AuditRowFragment;

/** More entries would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const pageSize = 50;

export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ["audit", filter],
    queryFn: ({ pageParam: after }) => pageOf(filter, after),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
}

async function pageOf({ since, until, ...filter }: AuditFilter, after: string | null) {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const range = { since: timeOf(since), until: timeOf(until) };
  return (await send(AuditLogDocument, { ...given, ...range, first: pageSize, after })).auditLog;
}

function timeOf(local: string | undefined): string | null {
  const time = local === undefined ? Number.NaN : Date.parse(local);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

export interface Exported {
  readonly entries: readonly AuditRow[];
  /** Whether all that match are among them. */
  readonly isComplete: boolean;
}

/** Reads entries page by page, newest first, until `most`. `onProgress` receives their number. Rejects if `signal` is aborted. */
export async function allEntries(
  filter: AuditFilter,
  most: number,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<Exported> {
  const entries: AuditRow[] = [];
  let after: string | null = null;
  for (;;) {
    signal.throwIfAborted();
    const { edges, pageInfo } = await pageOf(filter, after);
    entries.push(...edges.map(({ node }) => node));
    onProgress(entries.length);
    after = pageInfo.endCursor ?? null;
    if (!pageInfo.hasNextPage || after === null) return { entries, isComplete: true };
    if (entries.length >= most) return { entries, isComplete: false };
  }
}
