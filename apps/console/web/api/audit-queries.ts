import { infiniteQueryOptions } from "@tanstack/react-query";
import { AuditLogDocument, type AuditRowFragment } from "../generated/operations.ts";
import { query } from "./client.ts";

export type AuditRow = AuditRowFragment;

export interface AuditFilter {
  readonly target?: string | undefined;
}

/** More entries would exceed the cost of an operation (docs/interface/graphql.md#limits). */
const pageSize = 50;

export function auditQuery({ target }: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ["audit", target],
    queryFn: ({ pageParam: after }) => pageOf(target, after),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
}

const pageOf = async (target: string | undefined, after: string | null) =>
  (await query(AuditLogDocument, { target: target ?? null, first: pageSize, after })).auditLog;

export interface Exported {
  readonly entries: readonly AuditRow[];
  /** Whether all that match are among them. */
  readonly isComplete: boolean;
}

/** Reads entries page by page, newest first, until `most`. `onProgress` receives their number. Rejects if `signal` is aborted. */
export async function allEntries(
  { target }: AuditFilter,
  most: number,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<Exported> {
  const entries: AuditRow[] = [];
  let after: string | null = null;
  for (;;) {
    signal.throwIfAborted();
    const { edges, pageInfo } = await pageOf(target, after);
    entries.push(...edges.map(({ node }) => node));
    onProgress(entries.length);
    after = pageInfo.endCursor ?? null;
    if (!pageInfo.hasNextPage || after === null) return { entries, isComplete: true };
    if (entries.length >= most) return { entries, isComplete: false };
  }
}
