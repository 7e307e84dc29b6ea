import { type Clock, holdLease, type Logger, PeriodicTasks, uuidv7 } from "@appserver/kernel";
import type { Leases } from "@appserver/kernel/ports";
import { changesOf } from "../domain/incident.ts";
import type { EventSource, IncidentRule, IncidentStore } from "../ports.ts";
import { meaningfulTypes, meaningOf } from "./event-meanings.ts";

export interface IncidentWatchDeps {
  readonly store: IncidentStore;
  readonly rules: readonly IncidentRule[];
  readonly events: EventSource;
  readonly leases: Leases;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lease = "incidents";
const leaseMs = 30_000;
const batchSize = 100;

/** Looks at the platform again and again, and opens and closes incidents. One replica does so at a time. */
export class IncidentWatch extends PeriodicTasks {
  constructor(deps: IncidentWatchDeps) {
    const { intervalMs, clock, logger, leases } = deps;
    const run = async (stopping: AbortSignal): Promise<void> => {
      await holdLease(leases, lease, leaseMs, clock, async ({ signal }) => {
        const ended = AbortSignal.any([stopping, signal]);
        await lookAtEvents(deps);
        await lookAtRules(deps, ended);
      });
    };
    super({ name: "incidents", clock, logger, tasks: [{ name: "look", intervalMs, run }] });
  }
}

/** A rule that fails stops no other. */
async function lookAtRules({ store, rules, logger }: IncidentWatchDeps, signal: AbortSignal): Promise<void> {
  const stored = await store.current();
  for (const rule of rules) {
    if (signal.aborted) return;
    const current = stored.filter(({ kind }) => kind === rule.kind);
    try {
      const open = new Set(current.flatMap(({ openedAt, subject }) => (openedAt === undefined ? [] : [subject])));
      const { noticed, opened, over } = changesOf(await rule.problems(open), current);
      for (const problem of noticed) await store.notice(rule.kind, problem);
      for (const { current: known, problem } of opened) await store.open(known, problem);
      for (const known of over) await store.close(known, rule.over(known.subject));
    } catch (error) {
      logger.warn({ err: error, rule: rule.kind }, "incidents: a rule could not be applied; retrying");
    }
  }
}

/** Applies each event once: the position moves with what an event changes. */
async function lookAtEvents({ store, events }: IncidentWatchDeps): Promise<void> {
  const [newest] = await events.newest({}, undefined, 1);
  const after = await store.position(newest?.id ?? uuidv7());
  const next = await events.following({ types: meaningfulTypes }, after, batchSize);
  const last = next.at(-1);
  if (last)
    await store.apply(
      after,
      last.id,
      next.flatMap((event) => meaningOf(event) ?? []),
    );
}
