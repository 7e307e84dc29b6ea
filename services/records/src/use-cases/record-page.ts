import { isAppName } from "@appserver/contracts/names";
import { AppError, actorOf, type Call, type Clock, invalidField } from "@appserver/kernel";
import { pageMethod } from "../domain/page-method.ts";
import type { RequestLog } from "../ports.ts";

export interface PageContext {
  readonly log: RequestLog;
  readonly clock: Clock;
}

/** What took time in a page of an app. */
export interface PageMark {
  /** For example `load`. 1 to 64 characters. */
  readonly name: string;
  /** RFC 3339: when it began. */
  readonly at: string;
  readonly durationMs: number;
}

export interface PageRecord {
  readonly appName: string;
  /** That of the page's requests: 32 hexadecimal digits. */
  readonly traceId: string;
  readonly marks: readonly PageMark[];
}

const maxMarks = 50;
const maxName = 64;
/** Clocks of browsers differ from that of the platform. */
const maxAgeMs = 600_000;

/**
 * Adds what took time in a page to its trace, next to the page's requests. Throws AUTHENTICATION_REQUIRED for callers who are no users,
 * and INVALID_REQUEST.
 */
export function recordPage({ log, clock }: PageContext, { appName, traceId, marks }: PageRecord, call: Call): number {
  const { caller, requestId } = call;
  if (caller.kind !== "user") throw new AppError("AUTHENTICATION_REQUIRED", "pages of apps are shown to users with a session");
  if (!isAppName(appName)) throw invalidField("appName", "must be the name of an app");
  if (!/^[0-9a-f]{32}$/.test(traceId)) throw invalidField("traceId", "must be 32 hexadecimal digits");
  if (marks.length > maxMarks) throw invalidField("marks", `must have at most ${maxMarks} entries`);
  const ends = marks.map((mark, index) => endOf(mark, index, clock.now()));
  for (const [index, { name, durationMs }] of marks.entries())
    log.add(
      {
        ...{ requestId, traceId, method: pageMethod, pattern: name, status: 200, app: appName, caller: actorOf(caller) },
        ...{ durationMs, upstreamMs: undefined, reasonId: undefined },
      },
      ends[index],
    );
  return marks.length;
}

function endOf({ name, at, durationMs }: PageMark, index: number, now: number): number {
  if (name === "" || name.length > maxName) throw invalidField(`marks.${index}.name`, `must have 1 to ${maxName} characters`);
  if (!(durationMs >= 0 && durationMs <= maxAgeMs))
    throw invalidField(`marks.${index}.durationMs`, `must be 0 to ${maxAgeMs}, got ${durationMs}`);
  const began = new Date(at).getTime();
  if (!(Math.abs(now - began) <= maxAgeMs))
    throw invalidField(`marks.${index}.at`, `must be within ${maxAgeMs / 60_000} minutes of the platform's time, got ${at}`);
  return began + durationMs;
}
