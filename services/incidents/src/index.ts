import type { Clock, Component, Logger, Permissions } from "@appserver/kernel";
import type { Database, Leases, Outbox } from "@appserver/kernel/ports";
import { SqlIncidentStore } from "./adapters/sql-incident-store.ts";
import { incidentResolvers } from "./api/graphql.ts";
import type { EventSource, Observed } from "./ports.ts";
import { IncidentWatch } from "./workers/incident-watch.ts";
import { incidentRules } from "./workers/rules.ts";

export { incidentsMigrations } from "../migrations/index.ts";
export { pruneIncidents } from "./adapters/prune-incidents.ts";
export type { DeadLetterHolder, MeasuredCertificate, MeasuredSpace, Observed, WatchedApp } from "./ports.ts";

export interface IncidentsDeps {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly permissions: Permissions;
  /** The published events. */
  readonly events: EventSource;
  readonly observed: Observed;
  /** Pause between two looks at the platform. @defaultValue 15 s */
  readonly intervalMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** CloudEvents source of this process. */
  readonly source: string;
}

/** What people have to look at, from its beginning to its end (docs/interface/notifications.md#incidents). */
export interface Incidents extends Component {
  readonly resolvers: ReturnType<typeof incidentResolvers>;
}

export function createIncidents(deps: IncidentsDeps): Incidents {
  const { permissions, observed, clock, intervalMs = 15_000 } = deps;
  const store = new SqlIncidentStore(deps);
  const watch = new IncidentWatch({ ...deps, intervalMs, store, rules: incidentRules(observed, clock) });
  return {
    name: "incidents",
    resolvers: incidentResolvers({ store, permissions }),
    start: () => watch.start(),
    stop: () => watch.stop(),
  };
}
