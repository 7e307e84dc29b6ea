import { readFileSync } from "node:fs";
import type { Line } from "./hooks-apps.ts";

/** Reads the lines of one subscriber in order. An incomplete last line was not acknowledged. */
export function readLines(path: string): readonly Line[] {
  const text = readFileSync(path, { encoding: "utf8", flag: "a+" });
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [readLine(line)]));
}

/** A process that is killed within a line leaves half of it, and the next process continues there. */
function readLine(line: string): Line {
  return JSON.parse(line.slice(line.lastIndexOf('{"eventId"'))) as Line;
}

/** Returns the numbers of each key in the order of their first arrival. */
export function firstSeen(lines: readonly Line[]): ReadonlyMap<string, readonly number[]> {
  const seen = new Set<string>();
  const numbers = new Map<string, number[]>();
  for (const { key, number } of lines) {
    if (key === undefined || seen.has(`${key} ${number}`)) continue;
    seen.add(`${key} ${number}`);
    const own = numbers.get(key) ?? [];
    own.push(number);
    numbers.set(key, own);
  }
  return numbers;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
