import { textOf } from "../../search.ts";

/** Which requests of the last hour are listed, as the address of the page has it. Texts match as a whole. */
export interface RequestFilter {
  readonly app?: string | undefined;
  readonly caller?: string | undefined;
  readonly failed?: true | undefined;
  /** Milliseconds. */
  readonly slower?: number | undefined;
  /** RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const longestMs = 3_600_000;

/** Returns the filter in the search of an address. What is invalid in it does not count. */
export function requestFilterOf(search: Readonly<Record<string, unknown>>): RequestFilter {
  const slower = search["slower"];
  const isLength = typeof slower === "number" && Number.isInteger(slower) && slower > 0 && slower <= longestMs;
  return {
    app: textOf(search["app"]),
    caller: textOf(search["caller"]),
    failed: search["failed"] === true ? true : undefined,
    slower: isLength ? slower : undefined,
    since: timeOf(search["since"]),
    until: timeOf(search["until"]),
  };
}

function timeOf(value: unknown): string | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
