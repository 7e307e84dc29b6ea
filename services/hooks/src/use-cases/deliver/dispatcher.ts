import { backoffMs, type Component, messageOf, settledWithin, WakeUp } from "@appserver/kernel";
import type { ClaimedDelivery, DeliveryStatus } from "../../domain/delivery.ts";
import { type AttemptResult, nextStep } from "../../domain/retry-policy.ts";
import type { AttemptMetrics, DeliveryNews, DeliveryWant } from "../../ports.ts";
import type { HooksContext } from "../context.ts";
import type { Courier } from "./courier.ts";

/** A courier with what it has under way. */
interface Route {
  readonly courier: Courier;
  readonly metrics: AttemptMetrics;
  underWay: number;
  /** Whether something may be due for it that was not looked for yet. */
  mayHaveMore: boolean;
  closed: boolean;
}

/** Interval of the search for retries that became due, and for deliveries that no notification announced. */
const pollMs = 1_000;
/** Between two claims: under load a claim brings what gathered in between, so that its cost is shared. */
const claimPauseMs = 8;
const claimRetries = { firstMs: 200, longestMs: 5_000 };
const storeRetries = { firstMs: 100, longestMs: 5_000 };
/** How long stopping waits for results to be stored. */
const stopTimeoutMs = 5_000;

/**
 * Hands due deliveries of the database to this replica's couriers, and stores what became of them. Each courier has its own
 * room, and nothing is claimed for one that has none: a slow subscriber fills only its own room.
 */
export class Dispatcher implements Component {
  readonly name = "hook dispatcher";
  readonly #context: HooksContext;
  readonly #news: DeliveryNews;
  readonly #onSubscriptionsChanged: () => void;
  readonly #routes = new Map<string, Set<Route>>();
  readonly #settling = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  readonly #wakeUp: WakeUp;
  #listening: { close(): Promise<void> } | undefined;
  #running: Promise<void> | undefined;

  constructor(context: HooksContext, news: DeliveryNews, onSubscriptionsChanged: () => void) {
    this.#context = context;
    this.#news = news;
    this.#onSubscriptionsChanged = onSubscriptionsChanged;
    this.#wakeUp = new WakeUp(context.clock, this.#stopping.signal);
  }

  async start(): Promise<void> {
    this.#listening = await this.#news.listen(
      (appName) => {
        if (appName === "") this.#onSubscriptionsChanged();
        else this.wake(appName);
      },
      () => {
        this.#onSubscriptionsChanged();
        this.#wakeAll();
      },
    );
    this.#running = this.#run();
  }

  /** Couriers must have been closed before: what they had under way is given back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#listening?.close();
    await this.#running;
    await settledWithin(Promise.all(this.#settling), { clock: this.#context.clock, ms: stopTimeoutMs });
  }

  /** From now on the courier gets deliveries, until the answer is called. */
  open(courier: Courier): () => void {
    const metrics = this.#context.metrics.attempts(courier.appName, courier.pushes ? "push" : "stream");
    const route: Route = { courier, metrics, underWay: 0, mayHaveMore: true, closed: false };
    const routes = this.#routes.get(courier.appName) ?? new Set();
    this.#routes.set(courier.appName, routes.add(route));
    this.#wakeUp.wake();
    return () => {
      route.closed = true;
      routes.delete(route);
      if (routes.size === 0 && this.#routes.get(courier.appName) === routes) this.#routes.delete(courier.appName);
    };
  }

  /** Something may be due for the app. */
  wake(appName: string): void {
    const routes = this.#routes.get(appName);
    if (!routes) return;
    for (const route of routes) route.mayHaveMore = true;
    this.#wakeUp.wake();
  }

  async #wakeIn(appName: string, ms: number): Promise<void> {
    await this.#context.clock.sleep(ms, this.#stopping.signal).then(
      () => this.wake(appName),
      () => {},
    );
  }

  #wakeAll(): void {
    for (const appName of this.#routes.keys()) this.wake(appName);
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#stopping;
    let polledAt = clock.monotonic();
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#claim();
        if (failures > 0) logger.info({ failures }, "hooks are delivered again");
        failures = 0;
        await clock.sleep(claimPauseMs, signal).catch(() => {});
      } catch (error) {
        failures += 1;
        // Only the first failure of an outage is a warning.
        if (failures === 1) logger.warn({ reason: messageOf(error) }, "hooks cannot be delivered, trying again");
        else logger.debug({ reason: messageOf(error) }, "hooks cannot be delivered, trying again");
        this.#wakeAll();
        await clock.sleep(backoffMs(failures, claimRetries), signal).catch(() => {});
      }
      await this.#wakeUp.pause(pollMs);
      if (clock.monotonic() - polledAt < pollMs) continue;
      polledAt = clock.monotonic();
      this.#wakeAll();
    }
  }

  async #claim(): Promise<void> {
    const wants = this.#wants();
    if (wants.length === 0) return;
    const claimed = await this.#context.deliveries.claim(wants);
    const rooms = new Map<string, number>();
    for (const { appName, room } of wants) rooms.set(appName, Math.min(room, rooms.get(appName) ?? room));
    const counts = new Map<string, number>();
    for (const delivery of claimed) {
      counts.set(delivery.appName, (counts.get(delivery.appName) ?? 0) + 1);
      this.#assign(delivery);
    }
    // Where all the room was used, there may be more.
    for (const [appName, count] of counts) if (count >= (rooms.get(appName) ?? 0)) this.wake(appName);
  }

  /** What routes with room ask for, once for all that ask for the same. */
  #wants(): readonly DeliveryWant[] {
    const wants = new Map<string, DeliveryWant>();
    for (const routes of this.#routes.values()) {
      for (const route of routes) {
        const { courier } = route;
        const room = courier.capacity - route.underWay;
        if (!route.mayHaveMore || room <= 0) continue;
        route.mayHaveMore = false;
        const hookNames = courier.hookNames && [...courier.hookNames].sort();
        const key = JSON.stringify([courier.appName, courier.pushes, hookNames]);
        const same = wants.get(key);
        const { appName, pushes } = courier;
        wants.set(key, { appName, pushes, hookNames, room: room + (same?.room ?? 0) });
      }
    }
    return [...wants.values()];
  }

  /** To the courier with the most room; streams before POSTs. */
  #assign(delivery: ClaimedDelivery): void {
    let best: Route | undefined;
    for (const route of this.#routes.get(delivery.appName) ?? []) {
      const { courier } = route;
      if (courier.hookNames?.has(delivery.event.hookName) === false || roomOf(route) <= 0) continue;
      if (!best || rank(route) > rank(best)) best = route;
    }
    if (best) this.#send(best, delivery);
    // Its courier closed while it was claimed.
    else this.#track(this.#settle(delivery, { outcome: "RELEASED" }, new Date(this.#context.clock.now()), 0));
  }

  #send(route: Route, delivery: ClaimedDelivery): void {
    const { clock } = this.#context;
    const startedAt = new Date(clock.now());
    const started = clock.monotonic();
    route.underWay += 1;
    const done = route.courier.send(delivery).then(async (result) => {
      const durationMs = clock.monotonic() - started;
      const status = await this.#settle(delivery, result, startedAt, durationMs);
      if (status !== undefined) route.metrics.finished(status, durationMs);
      route.underWay -= 1;
      if (route.mayHaveMore) this.#wakeUp.wake();
    });
    this.#track(done);
  }

  #track(work: Promise<unknown>): void {
    this.#settling.add(work);
    void work.finally(() => this.#settling.delete(work));
  }

  /**
   * Tries until it is stored or this replica stops: then the claim expires, and the delivery comes again. Answers what was
   * stored, if it was.
   */
  async #settle(
    delivery: ClaimedDelivery,
    result: AttemptResult,
    startedAt: Date,
    durationMs: number,
  ): Promise<DeliveryStatus | undefined> {
    const { deliveries, policy, clock, logger } = this.#context;
    const step = nextStep(result, delivery, policy.retry);
    for (let failures = 1; ; failures += 1) {
      try {
        if (result.outcome === "GONE") await deliveries.disable(delivery.appName, delivery.event.hookName, result.error);
        const next = await deliveries.settle({ delivery, result, step, startedAt, durationMs });
        if (next !== undefined) this.wake(next);
        if (step.delayMs !== undefined && step.delayMs < pollMs) void this.#wakeIn(delivery.appName, step.delayMs);
        break;
      } catch (error) {
        logger.debug({ reason: messageOf(error), delivery: delivery.id }, "a result was not stored, trying again");
        if (this.#stopping.signal.aborted) return undefined;
        await clock.sleep(backoffMs(failures, storeRetries), this.#stopping.signal).catch(() => {});
      }
    }
    if (step.status === "DEAD") {
      const { id, appName, event } = delivery;
      logger.warn({ delivery: id, app: appName, hook: event.hookName, reason: step.error?.message }, "a hook delivery is dead");
    }
    return step.status;
  }
}

function roomOf({ courier, underWay, closed }: Route): number {
  return closed ? 0 : courier.capacity - underWay;
}

function rank(route: Route): number {
  return roomOf(route) + (route.courier.pushes ? 0 : 1_000_000);
}
