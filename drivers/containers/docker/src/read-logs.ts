import { type LogLine, logTimeOf } from "@appserver/kernel";
import type { LogRequest } from "@appserver/kernel/ports";
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
  const isRepeated = repeatedLines();
  // The engine also returns lines of exactly this time.
  const later = (lines: readonly LogLine[]): readonly LogLine[] =>
    lines.filter((line) => !isRepeated(line) && (since === undefined || line.time > since));
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

/**
 * Returns whether a line of the log was returned before. When Docker begins another file of a log, it returns the end of the file
 * before again. Times of a stream increase otherwise.
 */
export function repeatedLines(): (line: Pick<LogLine, "stream" | "time">) => boolean {
  const states: Partial<Record<LogLine["stream"], { last: string; isRepeating: boolean }>> = {};
  return ({ stream, time }) => {
    states[stream] ??= { last: "", isRepeating: false };
    const state = states[stream];
    // The last line may come once more, and another line may have the same time.
    state.isRepeating = time < state.last || (state.isRepeating && time === state.last);
    if (!state.isRepeating) state.last = time;
    return state.isRepeating;
  };
}
