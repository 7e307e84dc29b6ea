import type { RepairContext } from "./repair-context.ts";

const pollMs = 500;
/** Maximum time for the servers to report that their requests go to the new generation (docs/interface/states.md#switch). */
const reportTimeoutMs = 60_000;

interface Draining {
  readonly appId: string;
  /** The generation that requests go to now, or wait for. */
  readonly generation: number;
  /** The earliest time at which the servers could know this generation. */
  readonly since: Date;
}

/**
 * Resolves when no server uses earlier generations of the app any more, or the maximum time has passed: 60 s until every server
 * sends its requests to the new generation, then the drain timeout for running exchanges (docs/interface/states.md#switch).
 */
export async function drained(context: RepairContext, { appId, generation, since }: Draining): Promise<void> {
  const { clock, marketplace, options, signal } = context;
  const elapsedMs = Math.max(0, clock.now() - since.getTime());
  const startedAt = clock.monotonic() - elapsedMs;
  const elapsed = (): number => clock.monotonic() - startedAt;
  let routedAt: number | undefined;
  while (elapsed() < reportTimeoutMs + options.drainTimeoutMs) {
    const { waiting, exchanges } = await marketplace.drainState(appId, generation);
    if (waiting === 0 || elapsed() >= reportTimeoutMs) routedAt ??= elapsed();
    if (routedAt !== undefined && (exchanges === 0 || elapsed() - routedAt >= options.drainTimeoutMs)) return;
    await clock.sleep(pollMs, signal);
  }
}
