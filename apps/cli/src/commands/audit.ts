import { ask } from "../client.ts";
import { type AuditEntryFragment, AuditLogDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { print, printJson } from "../output.ts";
import { takeFromPages } from "../pages.ts";
import { renderTable } from "../table.ts";
import { timeOf } from "../time-argument.ts";

export interface AuditFlags {
  readonly actor?: string;
  readonly client?: string;
  readonly action?: string;
  readonly target?: string;
  readonly outcome?: string;
  /** A duration such as `10m`, or a time of RFC 3339. */
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

/** Lists what callers did, newest first. */
export async function listAudit(options: GlobalOptions, { since, until, limit, ...filter }: AuditFlags): Promise<void> {
  const range = {
    since: since === undefined ? undefined : timeOf("--since", since),
    until: until === undefined ? undefined : timeOf("--until", until),
  };
  const entries = await takeFromPages({ limit, pageSize: 85 }, async (page) => {
    return (await ask(options, AuditLogDocument, { ...filter, ...range, ...page })).auditLog;
  });
  if (options.json) printJson(entries);
  else print(entries.length === 0 ? "no entries match" : auditTable(entries));
}

function auditTable(entries: readonly AuditEntryFragment[]): string {
  return renderTable(
    ["AT", "BY", "ACTION", "TARGET", "OUTCOME"],
    entries.map(({ at, actor, client, action, target, outcome }) => {
      const by = client == null ? actor : `${actor} by ${harmless(client)}`;
      return [at, by, action, harmless(target), outcome];
    }),
  );
}
