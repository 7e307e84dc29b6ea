import { type Call, Cursors, type Page, pageOf, pageSize, requirePermission } from "@appserver/kernel";
import { grantViolations } from "./change-access.ts";
import type { ReadContext } from "./read-access.ts";
import { keyOf, mapSource, type SourcedTuple } from "./tuple-sources.ts";

export interface GrantsRequest {
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  readonly after?: string | undefined;
}

export interface GrantsPage extends Page<SourcedTuple> {
  readonly totalCount: number;
}

/** The objects of what can be given. */
const objects = ["role:", "app:", "permission_scope:"] as const;

const cursors = new Cursors("grant", () => true);

/**
 * Returns what was given directly, by subject: every tuple that `grantAccess` can write. What the option `identity.groups` gave has its
 * source. Needs `access:view`.
 */
export async function readGrants(context: ReadContext, { first, after }: GrantsRequest, call: Call): Promise<GrantsPage> {
  await requirePermission(context.permissions, call, "access:view");
  const size = pageSize(first);
  const from = cursors.read(after);
  const read = await Promise.all(objects.map((object) => context.authorization.read({ object })));
  const given = read.flat().filter((tuple) => grantViolations(tuple).length === 0);
  const byKey = given.map((tuple) => [keyOf(tuple), tuple] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = from === undefined ? byKey : byKey.filter(([key]) => key > from);
  const mapped = new Set((await context.mapped.all(context.database)).map(keyOf));
  const page = pageOf(rest.slice(0, size + 1), size);
  const items = page.items.map(([key, tuple]) => (mapped.has(key) ? { ...tuple, source: mapSource } : tuple));
  return { ...page, items, totalCount: given.length };
}

/** Returns the cursor of a grant, opaque to clients. */
export function grantCursor(tuple: SourcedTuple): string {
  return cursors.of(keyOf(tuple));
}
