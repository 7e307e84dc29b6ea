import type { LogRequest } from "@appserver/kernel/ports";
import type { ContainerRuntime } from "../ports.ts";

/** Returns the last lines that the container, or one of its ended instances, printed; none if its log cannot be read. */
export async function lastLines(
  runtime: ContainerRuntime,
  container: string,
  count: number,
  ended?: LogRequest["ended"],
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    for await (const batch of runtime.logs(container, { tail: count, ...(ended ? { ended } : {}) }))
      lines.push(...batch.map(({ text }) => text));
  } catch {
    // The container may be gone, with its log.
  }
  return lines;
}
