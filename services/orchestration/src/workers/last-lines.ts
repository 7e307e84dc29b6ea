import type { ContainerRuntime } from "../ports.ts";

/** Returns the last lines that the container printed; none if its log cannot be read. */
export async function lastLines(runtime: ContainerRuntime, container: string, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    for await (const batch of runtime.logs(container, { tail: count })) lines.push(...batch.map(({ text }) => text));
  } catch {
    // The container may be gone, with its log.
  }
  return lines;
}
