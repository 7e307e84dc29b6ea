import { logTimeOf } from "@appserver/kernel";
import type { LogLine, LogRequest } from "@appserver/kernel/ports";
import type { EngineClient } from "./engine-client.ts";
import { LogFrames } from "./log-frames.ts";

/** Yields the lines of a container's log. Rejects with the engine's error. */
export async function* readLogs(
  engine: EngineClient,
  name: string,
  { tail, since, follow = false, signal }: LogRequest,
): AsyncGenerator<readonly LogLine[]> {
  const query = {
    stdout: "true",
    stderr: "true",
    timestamps: "true",
    follow: String(follow),
    tail: tail === undefined ? "all" : String(tail),
    ...(since === undefined ? {} : { since: unixTime(since) }),
  };
  const frames = new LogFrames(logTimeOf(0));
  const later = (lines: readonly LogLine[]): readonly LogLine[] =>
    // The engine also returns lines of exactly this time.
    since === undefined ? lines : lines.filter(({ time }) => time > since);
  for await (const bytes of engine.bytes(`/containers/${encodeURIComponent(name)}/logs`, query, signal)) {
    const lines = later(frames.push(bytes));
    if (lines.length > 0) yield lines;
  }
  const rest = later(frames.end());
  if (rest.length > 0) yield rest;
}

/** Returns seconds since the epoch with nine digits of a second. */
function unixTime(time: string): string {
  return `${Date.parse(`${time.slice(0, 19)}Z`) / 1_000}${time.slice(19, -1)}`;
}
