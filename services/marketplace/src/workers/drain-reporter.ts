import {
  type Clock,
  type Component,
  every,
  GroupCommit,
  isCausedByOneItem,
  type Logger,
  uuidv7,
  within,
} from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { routedGeneration } from "../domain/releases.ts";
import type { DrainReport, DrainReports, Routing } from "../ports.ts";
import type { LiveApps } from "./live-apps.ts";

const beatMs = 5_000;
/** Maximum time that a stop waits for the database. After that, the replica expires. */
const leaveMs = 2_000;
const maxAppsPerReport = 1_000;

export interface DrainReporterDeps {
  readonly reports: DrainReports;
  readonly apps: Pick<LiveApps, "get" | "all" | "onChange">;
  readonly routing: Routing;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Reports which generation of each app this replica routes to, whether it is asleep, and how many of its exchanges still run on earlier ones. It
 * reports when a generation changes, when the last earlier exchange has ended, and every 5 s if the number has changed.
 */
export class DrainReporter implements Component {
  readonly name = "drain reports";
  readonly #deps: DrainReporterDeps;
  readonly #replica = uuidv7();
  readonly #stopped = new AbortController();
  /** What is stored of each app, by its id. */
  #stored = new Map<string, DrainReport>();
  readonly #writes: GroupCommit<string, undefined>;
  #beating: Promise<void> | undefined;
  #unsubscribe = (): void => {};

  constructor(deps: DrainReporterDeps) {
    this.#deps = deps;
    this.#writes = new GroupCommit(
      async (names) => {
        await this.#write(names.flatMap((name) => deps.apps.get(name) ?? []));
        return names.map(() => undefined);
      },
      { maxItems: maxAppsPerReport, isRetriedSingly: isCausedByOneItem },
    );
  }

  /** Stores the replica. Rejects if the database is unreachable. */
  async start(): Promise<void> {
    const { reports, apps, clock, logger } = this.#deps;
    await reports.beat(this.#replica);
    this.#unsubscribe = apps.onChange(({ name, before, now }) => {
      if (!now) this.#stored.delete(before?.app.id ?? "");
      else if (!before || isRoutedElsewhere(before.app, now.app)) this.report(name);
    });
    this.#beating = every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: beatMs,
      first: "after a pause",
      run: () => this.#beat(),
      onError: (error) => logger.warn({ err: error }, "marketplace: this replica could not report its routing"),
    });
  }

  /** Removes the replica: it routes nothing any longer. */
  async stop(): Promise<void> {
    const { reports, clock, logger } = this.#deps;
    this.#unsubscribe();
    this.#stopped.abort();
    await this.#beating;
    const error = (): Error => new Error(`the database did not respond within ${leaveMs} ms`);
    await within(() => reports.leave(this.#replica), { clock, ms: leaveMs, error }).catch((error: unknown) => {
      logger.warn({ err: error }, "marketplace: this replica could not be removed; it expires after 60 s");
    });
  }

  /** Reports the app if its generation or its earlier exchanges have changed. A failed report is repeated. */
  report(appName: string): void {
    if (!this.#stopped.signal.aborted) void this.#store(appName);
  }

  /** Never rejects. */
  async #store(appName: string): Promise<void> {
    try {
      await this.#writes.run(appName);
    } catch (error) {
      // The replica may have been removed during the write.
      if (this.#stopped.signal.aborted) return;
      this.#deps.logger.warn({ err: error, app: appName }, "marketplace: the routing of an app could not be reported");
    }
  }

  async #beat(): Promise<void> {
    // If this replica did not report for 60 s, another one has removed it.
    if (await this.#deps.reports.beat(this.#replica)) this.#stored = new Map();
    const changed = this.#deps.apps.all().filter((live) => this.#changeOf(live));
    await Promise.all(changed.map(({ app }) => this.#store(app.name)));
  }

  async #write(lives: readonly LiveApp[]): Promise<void> {
    const stored = this.#stored;
    const reports = [...new Set(lives)].flatMap((live) => this.#changeOf(live) ?? []);
    if (reports.length === 0) return;
    await this.#deps.reports.report(this.#replica, reports);
    for (const report of reports) stored.set(report.appId, report);
  }

  /** Returns the report of an app that runs in a container. Undefined if it is stored already. */
  #changeOf({ app, placement }: LiveApp): DrainReport | undefined {
    if (!placement.needsContainer) return undefined;
    const { generation, exchanges, isAsleep } = this.#deps.routing.drainState(app.name) ?? {
      generation: routedGeneration(app),
      exchanges: 0,
      isAsleep: app.asleepSince !== undefined,
    };
    const stored = this.#stored.get(app.id);
    if (stored?.generation === generation && stored.exchanges === exchanges && stored.isAsleep === isAsleep) return undefined;
    return { appId: app.id, generation, exchanges, isAsleep };
  }
}

function isRoutedElsewhere(before: AppRecord, now: AppRecord): boolean {
  return (
    routedGeneration(before) !== routedGeneration(now) || (before.asleepSince === undefined) !== (now.asleepSince === undefined)
  );
}
