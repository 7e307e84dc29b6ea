import { backoffMs, type Component, isCausedByOneItem, messageOf, settledWithin, WakeUp } from "@appserver/kernel";
import type { ClaimedDelivery, DeliveryStatus } from "../domain/delivery.ts";
import { type AttemptResult, nextStep } from "../domain/retry-policy.ts";
import { targetOf } from "../domain/targets/target.ts";
import type { DeliveryWant } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import { subscriberSubject } from "../use-cases/event-subject.ts";
import { type CountAttempt, countAttempts } from "./count-attempts.ts";
import type { DeliveryChannel } from "./delivery-channel.ts";
import { RetryWaits } from "./retry-waits.ts";

/** A channel and the state of its deliveries. */
interface Route {
  readonly channel: DeliveryChannel;
  readonly count: CountAttempt;
  inFlight: number;
  /** Whether the database may contain due deliveries for it. */
  mayHaveMore: boolean;
  closed: boolean;
}

/** Interval of the search for retries that became due, and for deliveries that no notification announced. */
const pollMs = 1_000;
/** Minimum pause between two claims. Under load, deliveries gather during the pause and share the cost of one claim. */
const claimPauseMs = 8;
const claimRetries = { firstMs: 200, maxMs: 5_000 };
const storeRetries = { firstMs: 100, maxMs: 5_000 };
/** Deliveries of one app that are claimed together. */
const claimSize = 100;
/** Characters of data of one app's deliveries in flight. While they are more, nothing is claimed for the app. */
const maxInFlight = 16 * 1024 * 1024;
/** How long stopping waits for results to be stored. */
const stopTimeoutMs = 5_000;

/**
 * Claims due deliveries from the database, sends them on this replica's channels, and stores the results. Each channel has its
 * own capacity. Nothing is claimed for a channel without free capacity, so a slow subscriber delays only itself. The data in
 * flight to one app is bounded, so that subscribers that acknowledge nothing do not fill the memory.
 */
export class Dispatcher implements Component {
  readonly name = "hook dispatcher";
  readonly #context: HooksContext;
  readonly #routes = new Map<string, Set<Route>>();
  /** Characters of data in flight, by app. */
  readonly #inFlight = new Map<string, number>();
  /** Whether routes of an app whose room was used up by its other routes must be looked at again. */
  #hasSkipped = false;
  readonly #finishing = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  readonly #wakeUp: WakeUp;
  readonly #waits: RetryWaits;
  #running: Promise<void> | undefined;

  constructor(context: HooksContext) {
    this.#context = context;
    this.#wakeUp = new WakeUp(context.clock, this.#stopping.signal);
    this.#waits = new RetryWaits(context, (appName) => this.wake(appName));
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Releases the deliveries in flight. Channels must be closed first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await settledWithin(Promise.all(this.#finishing), { clock: this.#context.clock, ms: stopTimeoutMs });
  }

  /** Sends deliveries on the channel until the returned function is called. */
  open(channel: DeliveryChannel): () => void {
    const count = countAttempts(this.#context.metrics, channel);
    const route: Route = { channel, count, inFlight: 0, mayHaveMore: true, closed: false };
    const routes = this.#routes.get(channel.appName) ?? new Set();
    this.#routes.set(channel.appName, routes.add(route));
    this.#wakeUp.wake();
    this.#waits.end(channel.appName);
    return () => {
      route.closed = true;
      routes.delete(route);
      if (routes.size > 0 || this.#routes.get(channel.appName) !== routes) return;
      this.#routes.delete(channel.appName);
      this.#waits.forget(channel.appName);
    };
  }

  /** Looks for due deliveries of the app. */
  wake(appName: string): void {
    const routes = this.#routes.get(appName);
    if (!routes) return;
    for (const route of routes) route.mayHaveMore = true;
    this.#wakeUp.wake();
  }

  /** Sends what waits for a retry to a subscriber that an administrator has seen to work, as far as the subscriber did not ask to wait. */
  worksAgain(appName: string): void {
    this.#waits.end(appName, true);
  }

  /** Sends one delivery to each subscriber whose deliveries only wait for their retries. If it arrives, the others follow. */
  async probe(): Promise<void> {
    if (this.#routes.size === 0) return;
    for (const appName of await this.#context.deliveries.probe([...this.#routes.keys()])) this.wake(appName);
  }

  /** Called after each change of an app, which may be healthy again. */
  appChanged(appName: string): Promise<void> {
    return this.#waits.changed(appName);
  }

  /** Looks for due deliveries of every app, because notifications may have been missed. */
  wakeAll(): void {
    for (const appName of this.#routes.keys()) this.wake(appName);
  }

  async #wakeIn(appName: string, ms: number): Promise<void> {
    await this.#context.clock.sleep(ms, this.#stopping.signal).then(
      () => this.wake(appName),
      () => {},
    );
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#stopping;
    let polledAt = clock.monotonic();
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#claim();
        if (failures > 0) logger.info({ failures }, "hooks: delivery works again");
        failures = 0;
        await clock.sleep(claimPauseMs, signal).catch(() => {});
      } catch (error) {
        failures += 1;
        // Only the first failure of an outage is a warning.
        if (failures === 1) logger.warn({ err: error }, "hooks: could not claim deliveries; retrying");
        else logger.debug({ err: error }, "hooks: could not claim deliveries; retrying");
        this.wakeAll();
        await clock.sleep(backoffMs(failures, claimRetries), signal).catch(() => {});
      }
      await this.#wakeUp.pause(pollMs);
      if (clock.monotonic() - polledAt < pollMs) continue;
      polledAt = clock.monotonic();
      this.wakeAll();
    }
  }

  async #claim(): Promise<void> {
    const wants = this.#wants();
    if (this.#hasSkipped) this.#wakeUp.wake();
    if (wants.length === 0) return;
    const claimed = await this.#context.deliveries.claim(wants);
    const rooms = new Map<string, number>();
    for (const { appName, room } of wants) rooms.set(appName, Math.min(room, rooms.get(appName) ?? room));
    const counts = new Map<string, number>();
    for (const delivery of claimed) {
      counts.set(delivery.appName, (counts.get(delivery.appName) ?? 0) + 1);
      this.#assign(delivery);
    }
    // If all capacity was used, more deliveries may be due.
    for (const [appName, count] of counts) if (count >= (rooms.get(appName) ?? 0)) this.wake(appName);
  }

  /** Returns the requests of routes with free capacity. Equal requests are merged. */
  #wants(): readonly DeliveryWant[] {
    const wants = new Map<string, DeliveryWant>();
    this.#hasSkipped = false;
    for (const [appName, routes] of this.#routes) {
      if ((this.#inFlight.get(appName) ?? 0) >= maxInFlight) continue;
      let left = claimSize;
      for (const route of routes) {
        const { channel } = route;
        const free = channel.capacity - route.inFlight;
        if (!route.mayHaveMore || free <= 0) continue;
        const room = Math.min(free, left);
        left -= room;
        if (room === 0) {
          this.#hasSkipped = true;
          continue;
        }
        route.mayHaveMore = false;
        const hookNames = channel.hookNames && [...channel.hookNames].sort();
        const key = JSON.stringify([channel.appName, channel.pushes, hookNames]);
        const same = wants.get(key);
        const { pushes } = channel;
        wants.set(key, { appName, pushes, hookNames, room: room + (same?.room ?? 0) });
      }
    }
    return [...wants.values()];
  }

  /** Sends the delivery on the channel with the most free capacity. Streams take precedence over POSTs. */
  #assign(delivery: ClaimedDelivery): void {
    let best: Route | undefined;
    for (const route of this.#routes.get(delivery.appName) ?? []) {
      const { channel } = route;
      if (channel.hookNames?.has(delivery.event.hookName) === false || roomOf(route) <= 0) continue;
      if (!best || rank(route) > rank(best)) best = route;
    }
    if (best) this.#send(best, delivery);
    // The channel was closed during the claim.
    else this.#track(this.#finish(delivery, { outcome: "RELEASED" }, new Date(this.#context.clock.now()), 0));
  }

  #send(route: Route, delivery: ClaimedDelivery): void {
    route.inFlight += 1;
    this.#weigh(delivery, 1);
    const done = this.#attempt(route, delivery).finally(() => {
      route.inFlight -= 1;
      this.#weigh(delivery, -1);
      if (route.mayHaveMore) this.#wakeUp.wake();
    });
    this.#track(done);
  }

  async #attempt({ channel, count }: Route, delivery: ClaimedDelivery): Promise<void> {
    const { clock } = this.#context;
    const startedAt = new Date(clock.now());
    const started = clock.monotonic();
    const result = await sendOn(channel, delivery);
    const durationMs = clock.monotonic() - started;
    const status = await this.#finish(delivery, result, startedAt, durationMs);
    if (status === undefined) return;
    count(status, durationMs);
    this.#waits.attempted(delivery, result, started, status === "RETRYING");
  }

  /** Counts the data of a delivery that begins or ends to be in flight. */
  #weigh({ appName, event }: ClaimedDelivery, sign: 1 | -1): void {
    const before = this.#inFlight.get(appName) ?? 0;
    const after = before + sign * event.data.length;
    if (after > 0) this.#inFlight.set(appName, after);
    else this.#inFlight.delete(appName);
    if (before >= maxInFlight && after < maxInFlight) this.wake(appName);
  }

  #track(work: Promise<unknown>): void {
    this.#finishing.add(work);
    const { logger } = this.#context;
    void work
      .catch((error: unknown) => logger.error({ err: error }, "hooks: an attempt ended unexpectedly; its claim expires"))
      .finally(() => this.#finishing.delete(work));
  }

  /**
   * Retries until the result is stored or this replica stops. If it stops, the claim expires and the delivery is sent again.
   * Returns the stored status, or undefined.
   */
  async #finish(
    delivery: ClaimedDelivery,
    result: AttemptResult,
    startedAt: Date,
    durationMs: number,
  ): Promise<DeliveryStatus | undefined> {
    const { deliveries, policy, clock, logger } = this.#context;
    const isToTarget = targetOf(delivery.appName) !== undefined;
    const waitLeftMs = Math.max(0, delivery.waitLeftMs - durationMs);
    const step = nextStep(result, { ...delivery, waitLeftMs }, isToTarget ? policy.targetRetry : policy.retry);
    // A dead letter of a target has no event: it would be one more message to the same target.
    const isAnnounced = step.status === "DEAD" && !isToTarget;
    for (let failures = 1; ; failures += 1) {
      try {
        const subscriber = isAnnounced ? await subscriberSubject(this.#context, delivery.appName) : undefined;
        if (subscriber && result.outcome === "GONE")
          await deliveries.disable(subscriber, delivery.event.hookName, result.error);
        const next = await deliveries.finish({ delivery, result, step, startedAt, durationMs, subscriber });
        if (next !== undefined) this.wake(next);
        if (step.delayMs !== undefined && step.delayMs < pollMs) void this.#wakeIn(delivery.appName, step.delayMs);
        break;
      } catch (error) {
        // Of one delivery alone, it does not pass by itself as an outage does.
        const level = failures === 1 && isCausedByOneItem(error) ? "warn" : "debug";
        const fields = { err: error, delivery: delivery.id, app: delivery.appName };
        logger[level](fields, "hooks: could not store the result of a delivery; retrying");
        if (this.#stopping.signal.aborted) return undefined;
        await clock.sleep(backoffMs(failures, storeRetries), this.#stopping.signal).catch(() => {});
      }
    }
    if (step.status === "DEAD") {
      const { id, appName, event } = delivery;
      logger.warn(
        { delivery: id, app: appName, hook: event.hookName, reason: step.error?.message },
        "hooks: a delivery failed permanently",
      );
    }
    return step.status;
  }
}

/** A delivery that a channel cannot send must not stop the others. */
async function sendOn(channel: DeliveryChannel, delivery: ClaimedDelivery): Promise<AttemptResult> {
  try {
    return await channel.send(delivery);
  } catch (error) {
    return { outcome: "FAILED", error: `not sent: ${messageOf(error)}` };
  }
}

function roomOf({ channel, inFlight, closed }: Route): number {
  return closed ? 0 : channel.capacity - inFlight;
}

function rank(route: Route): number {
  return roomOf(route) + (route.channel.pushes ? 0 : 1_000_000);
}
