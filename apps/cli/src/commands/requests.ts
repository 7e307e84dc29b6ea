import { ask } from "../client.ts";
import { RequestsDocument, type TracedRequestFragment } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { print, printJson } from "../output.ts";
import { takeFromPages } from "../pages.ts";
import { renderTable } from "../table.ts";
import { timeOf } from "../time-argument.ts";

export interface RequestFlags {
  readonly app?: string;
  readonly failed?: boolean;
  readonly slow?: number;
  readonly caller?: string;
  readonly method?: string;
  /** A duration such as `10m`, or a time of RFC 3339. */
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
}

/** Lists requests of the last hour, newest first. Their request ids lead to their traces. */
export async function listRequests(options: GlobalOptions, flags: RequestFlags): Promise<void> {
  const { app, failed, slow, caller, method, since, until, limit } = flags;
  const filter = {
    appName: app,
    failed,
    slowerThanMs: slow,
    caller,
    method: method?.toUpperCase(),
    since: since === undefined ? undefined : timeOf("--since", since),
    until: until === undefined ? undefined : timeOf("--until", until),
  };
  const requests = await takeFromPages({ limit, pageSize: 70 }, async (page) => {
    return (await ask(options, RequestsDocument, { ...filter, ...page })).requests;
  });
  if (options.json) printJson(requests);
  else print(requests.length === 0 ? "no requests of the last hour match" : requestTable(requests));
}

function requestTable(requests: readonly TracedRequestFragment[]): string {
  return renderTable(
    ["AT", "APP", "REQUEST", "STATUS", "TOOK", "BY", "ID"],
    requests.map(({ at, appName, method, route, status, reason, durationMs, caller, requestId }) => [
      at,
      appName || "platform",
      harmless([method, route].filter(Boolean).join(" ")),
      reason == null ? String(status) : `${status} ${reason}`,
      `${Math.round(durationMs * 10) / 10} ms`,
      harmless(caller),
      requestId,
    ]),
  );
}
