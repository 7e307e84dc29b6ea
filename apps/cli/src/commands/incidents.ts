import { ask } from "../client.ts";
import { IncidentsDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { takeFromPages } from "../pages.ts";
import { renderTable } from "../table.ts";

export interface IncidentsFlags {
  readonly all: boolean;
  readonly limit: number;
}

/** Lists the incidents that last, or with `all` also those that are over. */
export async function listIncidents(options: GlobalOptions, { all, limit }: IncidentsFlags): Promise<void> {
  const incidents = await takeFromPages({ limit, pageSize: 80 }, async (page) => {
    return (await ask(options, IncidentsDocument, { ...(!all && { isOpen: true }), ...page })).incidents;
  });
  if (options.json) return printJson(incidents);
  const rows = incidents.map(({ kind, message, openedAt, closedAt }) => [openedAt, closedAt ?? "-", kind, message]);
  const head = ["BEGAN", "OVER", "KIND", "MESSAGE"];
  print(rows.length === 0 ? "there are no incidents" : renderTable(head, rows));
}
