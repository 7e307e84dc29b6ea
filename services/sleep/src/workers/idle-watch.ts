import { type Clock, type Logger, PeriodicTasks } from "@appserver/kernel";
import type { SleepApp, SleepApps, Sleepers, SleepSettings, Uses, WorkSource } from "../ports.ts";

const tickMs = 1_000;
const settingsMs = 30_000;
/** Uses are stored, and idle apps looked for, this many times in the time after which an app sleeps, at least. */
const looksPerTime = 4;
const longestPauseMs = 15_000;
/** Pause between two looks for work of apps that are asleep. */
const workMs = 2_000;

export interface IdleWatchDeps {
  readonly apps: SleepApps;
  /** Returns the names of the apps that proxied requests use now, or have used since the last call. */
  readonly takeUsed: () => readonly string[];
  readonly work: readonly WorkSource[];
  readonly settings: SleepSettings;
  readonly uses: Uses;
  readonly sleepers: Sleepers;
  /** How long an app may be idle, unless its setting says otherwise. Undefined: it does not sleep. Milliseconds. */
  readonly sleepAfterMs: number | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An app that may sleep, with the time after which it does. */
interface Sleeper {
  readonly app: SleepApp;
  readonly idleMs: number;
}

/**
 * Puts idle apps to sleep, and wakes them for their work (docs/interface/sleep.md). Every replica stores which apps its requests use.
 * Any replica may ask for the sleep of an app that none has used: a request that comes in between wakes it.
 */
export class IdleWatch {
  readonly #deps: IdleWatchDeps;
  #settings: ReadonlyMap<string, number | "never"> = new Map();
  /** The start of each app that may sleep, and when its last use was stored. Monotonic. */
  #stored = new Map<string, { readonly start: string; readonly at: number }>();
  #nextLookAt = 0;

  constructor(deps: IdleWatchDeps) {
    this.#deps = deps;
  }

  tasks(): PeriodicTasks {
    const { clock, logger } = this.#deps;
    return new PeriodicTasks({
      name: "sleep",
      clock,
      logger,
      tasks: [
        { name: "settings", intervalMs: settingsMs, run: () => this.readSettings() },
        { name: "idle apps", intervalMs: tickMs, run: () => this.look() },
        { name: "work of sleeping apps", intervalMs: workMs, run: () => this.wakeForWork() },
      ],
    });
  }

  async readSettings(): Promise<void> {
    this.#settings = await this.#deps.settings.all();
  }

  /** Stores what is in use, and puts to sleep what is not. */
  async look(): Promise<void> {
    const { apps, takeUsed, clock } = this.#deps;
    const used = new Set(takeUsed());
    const sleepers = apps.all().flatMap((app) => this.#sleeperOf(app) ?? []);
    await this.#store(sleepers, used);
    const now = clock.monotonic();
    const awake = sleepers.filter(({ app }) => app.is === "awake");
    if (awake.length === 0 || now < this.#nextLookAt) return;
    this.#nextLookAt = now + Math.min(longestPauseMs, ...awake.map(({ idleMs }) => idleMs / looksPerTime));
    await this.#sleep(awake);
  }

  /** Wakes the apps that are asleep and have work which is due. */
  async wakeForWork(): Promise<void> {
    const { apps, work, sleepers } = this.#deps;
    const asleep = new Map(apps.all().flatMap((app) => (app.is === "asleep" ? [[app.name, app.id] as const] : [])));
    if (asleep.size === 0) return;
    const due = await Promise.all(work.map((source) => source.due([...asleep.keys()])));
    for (const name of new Set(due.flat())) {
      const id = asleep.get(name);
      if (id !== undefined) await sleepers.wake(id);
    }
  }

  #sleeperOf(app: SleepApp): Sleeper | undefined {
    const idleMs = this.#settings.get(app.id) ?? this.#deps.sleepAfterMs;
    return idleMs === undefined || idleMs === "never" ? undefined : { app, idleMs };
  }

  /** A start counts as a use. What is in use all the time is stored a few times in the time after which the app would sleep. */
  async #store(sleepers: readonly Sleeper[], used: ReadonlySet<string>): Promise<void> {
    const now = this.#deps.clock.monotonic();
    const stored = new Map<string, { readonly start: string; readonly at: number }>();
    const marked: string[] = [];
    for (const { app, idleMs } of sleepers) {
      const last = this.#stored.get(app.id);
      const isStarted = last !== undefined && last.start !== app.start;
      const isDue = used.has(app.name) && (last === undefined || now - last.at >= idleMs / looksPerTime);
      if (isStarted || isDue) marked.push(app.id);
      const at = isStarted || isDue ? now : (last?.at ?? Number.NEGATIVE_INFINITY);
      stored.set(app.id, { start: app.start, at });
    }
    if (marked.length > 0) await this.#deps.uses.mark(marked);
    this.#stored = stored;
  }

  async #sleep(awake: readonly Sleeper[]): Promise<void> {
    const { uses, work, sleepers, logger } = this.#deps;
    const idle = new Set(await uses.idle(awake.map(({ app, idleMs }) => ({ appId: app.id, idleMs }))));
    const candidates = awake.flatMap(({ app }) => (idle.has(app.id) ? app : []));
    if (candidates.length === 0) return;
    const names = candidates.map(({ name }) => name);
    const busy = new Set((await Promise.all(work.map((source) => source.busy(names)))).flat());
    const working = candidates.flatMap(({ id, name }) => (busy.has(name) ? id : []));
    if (working.length > 0) await uses.mark(working);
    for (const { id, name } of candidates) {
      if (busy.has(name)) continue;
      logger.info({ app: name }, "sleep: the app is idle");
      await sleepers.sleep(id);
    }
  }
}
