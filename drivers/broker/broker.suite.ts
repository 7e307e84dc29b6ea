import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { uuidv7 } from "@appserver/kernel";
import type { Broker, ConsumeOptions, Delivery, EventEnvelope } from "@appserver/kernel/ports";

export type OpenBroker = Broker & { stop(): Promise<void> | void };

/** One empty broker, and as many clients of it as the tests open, like so many processes. */
export interface BrokerHarness {
  /** A started client. Retries come within 50 ms; stopping waits at most 200 ms for handlers, and may be asked twice. */
  open(): Promise<OpenBroker>;
  /**
   * A process that consumes, prints the id of each event it gets on a line, and never acknowledges. A killed one is
   * noticed within 2 s.
   */
  spawnHangingConsumer(options: ConsumeOptions): ChildProcess;
  close(): Promise<void>;
}

/** What every driver of the broker family promises. */
export function brokerSuite(name: string, createHarness: () => Promise<BrokerHarness>): void {
  describe(`broker contract: ${name}`, { timeout: 60_000 }, () => {
    let harness: BrokerHarness;
    let broker: OpenBroker;
    const opened: OpenBroker[] = [];
    const open = async (): Promise<OpenBroker> => {
      const client = await harness.open();
      opened.push(client);
      return client;
    };
    before(async () => {
      harness = await createHarness();
      broker = await open();
    });
    after(async () => {
      for (const client of opened) await client.stop();
      await harness?.close();
    });

    /** Every test has queues and event types of its own. */
    let tests = 0;
    const fresh = (): { prefix: string; type: string; queue: string } => {
      const prefix = `suite${++tests}.subscriber.`;
      const type = `suite${tests}.happened`;
      return { prefix, type, queue: prefix + type };
    };

    test("an event arrives as it was published, in every queue bound to its type", async () => {
      const { prefix, type } = fresh();
      const event: EventEnvelope = {
        ...eventOf(type, "com.example.notes"),
        sequence: 7,
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        correlationId: "c",
        causationId: "d",
        actor: "user:alice",
        body: { text: 'ünï "quoted" \u0000 \u2028', nested: { list: [1, null, true, 1.5] } },
      };
      const first = new Recorder();
      const second = new Recorder();
      await broker.consume({ prefix, types: [type] }, first.handler);
      await broker.consume({ prefix: `other.${prefix}`, types: [type] }, second.handler);
      await broker.publish([event, eventOf(`${type}.else`)]);
      await first.count(1);
      await second.count(1);
      assert.deepEqual(first.deliveries, [{ event, attempt: 1, queue: prefix + type }]);
      assert.deepEqual(second.deliveries, [{ event, attempt: 1, queue: `other.${prefix}${type}` }]);
    });

    test("a queue stays bound while nobody consumes, over restarts of every client", async () => {
      const { prefix, type } = fresh();
      const declaring = await open();
      await (await declaring.consume({ prefix, types: [type] }, async () => {})).close();
      await declaring.stop();
      const events = [1, 2, 3].map(() => eventOf(type));
      const publishing = await open();
      await publishing.publish(events);
      await publishing.stop();
      const consuming = await open();
      const recorder = new Recorder();
      await consuming.consume({ prefix, types: [type] }, recorder.handler);
      await recorder.count(3);
      assert.deepEqual(recorder.ids(), ids(events));
      await consuming.stop();
    });

    test("what is acknowledged does not come again", async () => {
      const { prefix, type } = fresh();
      const [event, marker] = [eventOf(type), eventOf(type)];
      const first = new Recorder();
      const subscription = await broker.consume({ prefix, types: [type] }, first.handler);
      await broker.publish([event]);
      await first.count(1);
      await subscription.close();
      const second = new Recorder();
      await broker.consume({ prefix, types: [type] }, second.handler);
      await broker.publish([marker]);
      await second.count(1);
      assert.deepEqual(second.ids(), [marker.id]);
    });

    test("a rejected event comes again with the attempt counted, then succeeds", async () => {
      const { prefix, type } = fresh();
      const recorder = new Recorder(async ({ attempt }) => {
        if (attempt < 3) throw new Error("not yet");
      });
      await broker.consume({ prefix, types: [type] }, recorder.handler);
      await broker.publish([eventOf(type)]);
      await recorder.count(3);
      assert.deepEqual(
        recorder.deliveries.map(({ attempt }) => attempt),
        [1, 2, 3],
      );
    });

    test("after the last retry an event is a dead letter, and its subject goes on", async () => {
      const { prefix, type, queue } = fresh();
      const [poison, next] = [eventOf(type, "same"), eventOf(type, "same")];
      const recorder = new Recorder(async ({ event }) => {
        if (event.id === poison.id) throw new Error("cannot digest");
      });
      await broker.consume({ prefix, types: [type], maxRetries: 2 }, recorder.handler);
      const published = Date.now();
      await broker.publish([poison, next]);
      await recorder.until((delivery) => delivery.event.id === next.id);
      assert.deepEqual(recorder.ids(), [poison.id, poison.id, poison.id, next.id]);
      const [letter, ...others] = await broker.deadLetters(queue, 10);
      assert.ok(letter);
      assert.equal(others.length, 0);
      assert.deepEqual([letter.event, letter.queue, letter.attempts, letter.error], [poison, queue, 3, "cannot digest"]);
      assert.ok(Math.abs(letter.at.getTime() - published) < 60_000);
    });

    test("one poison among a hundred: 99 succeed, one dead letter", async () => {
      const { prefix, type, queue } = fresh();
      const events = Array.from({ length: 100 }, (_, number) => eventOf(type, `app${number % 7}`));
      const poison = events[42]?.id;
      const succeeded: string[] = [];
      const recorder = new Recorder(async ({ event }) => {
        if (event.id === poison) throw new Error("poison");
        succeeded.push(event.id);
      });
      await broker.consume({ prefix, types: [type], maxRetries: 1 }, recorder.handler);
      await broker.publish(events);
      await recorder.count(101);
      assert.deepEqual(succeeded.sort(), ids(events.filter(({ id }) => id !== poison)).sort());
      assert.deepEqual(
        (await broker.deadLetters(queue, 10)).map(({ event }) => event.id),
        [poison],
      );
    });

    test("dead letters are listed oldest first, up to the limit", async () => {
      const { prefix, type, queue } = fresh();
      const events = [1, 2, 3].map(() => eventOf(type, "same"));
      const recorder = new Recorder(async () => {
        throw new Error("always");
      });
      await broker.consume({ prefix, types: [type], maxRetries: 0 }, recorder.handler);
      await broker.publish(events);
      await eventually(async () => assert.equal((await broker.deadLetters(queue, 10)).length, 3));
      assert.deepEqual(
        (await broker.deadLetters(queue, 2)).map(({ event }) => event.id),
        ids(events.slice(0, 2)),
      );
    });

    test("two processes share a queue: each event is handled once, by both in turn", async () => {
      const { prefix, type } = fresh();
      const other = await open();
      const mine = new Recorder();
      const theirs = new Recorder();
      const bothHadOne = Promise.all([mine.count(1), theirs.count(1)]);
      const gate = async (): Promise<void> => {
        await bothHadOne;
      };
      await broker.consume({ prefix, types: [type], prefetch: 1 }, mine.before(gate));
      await other.consume({ prefix, types: [type], prefetch: 1 }, theirs.before(gate));
      const events = Array.from({ length: 40 }, (_, number) => eventOf(type, `app${number}`));
      await broker.publish(events);
      await eventually(async () => assert.equal(mine.deliveries.length + theirs.deliveries.length, 40));
      assert.deepEqual([...mine.ids(), ...theirs.ids()].sort(), ids(events).sort());
    });

    test("events of a subject come in order, one at a time, over retries and several consumers", async () => {
      const { prefix, type } = fresh();
      const other = await open();
      const handled = new Map<string, string[]>();
      const busy = new Set<string>();
      let failures = 0;
      const handler = async ({ event, attempt }: Delivery): Promise<void> => {
        assert.ok(!busy.has(event.subject), "two events of one subject at once");
        busy.add(event.subject);
        await new Promise((resolve) => setImmediate(resolve));
        busy.delete(event.subject);
        if (Number(event.body["number"]) % 10 === 0 && attempt === 1) {
          failures += 1;
          throw new Error("once more");
        }
        handled.set(event.subject, [...(handled.get(event.subject) ?? []), event.id]);
      };
      const recorder = new Recorder(handler);
      await broker.consume({ prefix, types: [type] }, recorder.handler);
      await other.consume({ prefix, types: [type] }, recorder.handler);
      const events = Array.from({ length: 60 }, (_, number) => ({
        ...eventOf(type, `app${number % 3}`),
        body: { number },
      }));
      await broker.publish(events.slice(0, 30));
      await broker.publish(events.slice(30));
      await recorder.count(66);
      await eventually(async () => assert.equal([...handled.values()].flat().length, 60));
      assert.equal(failures, 6);
      for (const subject of ["app0", "app1", "app2"]) {
        assert.deepEqual(handled.get(subject), ids(events.filter((event) => event.subject === subject)));
      }
    });

    test("a consumer holds at most its prefetch", async () => {
      const { prefix, type } = fresh();
      let running = 0;
      let most = 0;
      const release = Promise.withResolvers<void>();
      const recorder = new Recorder(async () => {
        running += 1;
        most = Math.max(most, running);
        await release.promise;
        running -= 1;
      });
      await broker.consume({ prefix, types: [type], prefetch: 3 }, recorder.handler);
      await broker.publish(Array.from({ length: 9 }, (_, number) => eventOf(type, `app${number}`)));
      await recorder.count(3);
      release.resolve();
      await recorder.count(9);
      assert.equal(most, 3);
    });

    test("a failing subject does not hold up the others", async () => {
      const { prefix, type } = fresh();
      const recorder = new Recorder(async ({ event }) => {
        if (event.subject === "bad") throw new Error("bad");
      });
      await broker.consume({ prefix, types: [type], prefetch: 1, maxRetries: 3 }, recorder.handler);
      const bad = Array.from({ length: 5 }, () => eventOf(type, "bad"));
      const good = Array.from({ length: 5 }, (_, number) => eventOf(type, `good${number}`));
      await broker.publish([...bad, ...good]);
      await recorder.until(() => good.every(({ id }) => recorder.ids().includes(id)));
      // All retries of all bad ones would be twenty deliveries.
      assert.ok(recorder.ids().filter((id) => bad.some((event) => event.id === id)).length < 20);
    });

    test("events of a killed consumer go to another", async () => {
      const { prefix, type } = fresh();
      const child = harness.spawnHangingConsumer({ prefix, types: [type] });
      assert.ok(child.stdout);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      assert.equal((await lines.next()).value, "consuming");
      const event = eventOf(type);
      await broker.publish([event]);
      assert.equal((await lines.next()).value, event.id);
      child.kill("SIGKILL");
      await once(child, "exit");
      const recorder = new Recorder();
      await broker.consume({ prefix, types: [type] }, recorder.handler);
      await recorder.count(1);
      assert.deepEqual([recorder.ids(), recorder.deliveries[0]?.attempt], [[event.id], 2]);
    });

    test("stop waits for handlers, and gives to others what does not finish", async () => {
      const { prefix, type } = fresh();
      const stopping = await open();
      const [quick, stuck] = [eventOf(type, "quick"), eventOf(type, "stuck")];
      const never = Promise.withResolvers<void>();
      const quickMayEnd = Promise.withResolvers<void>();
      const recorder = new Recorder(({ event }) => (event.id === quick.id ? quickMayEnd.promise : never.promise));
      const bothBegun = Promise.withResolvers<void>();
      let begun = 0;
      await stopping.consume({ prefix, types: [type] }, (delivery) => {
        begun += 1;
        if (begun === 2) bothBegun.resolve();
        return recorder.handler(delivery);
      });
      await broker.publish([quick, stuck]);
      await bothBegun.promise;
      const stopped = stopping.stop();
      quickMayEnd.resolve();
      await stopped;
      never.resolve();
      const marker = eventOf(type, "stuck");
      const next = new Recorder();
      await broker.consume({ prefix, types: [type] }, next.handler);
      await broker.publish([marker]);
      await next.count(2);
      assert.deepEqual(next.ids(), [stuck.id, marker.id]);
    });

    test("observers in every process hear every event of their types, in order, and none of before", async () => {
      const { type } = fresh();
      const other = await open();
      const earlier = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()] as const;
      await broker.observe([type], earlier[0].resolve);
      await other.observe([type], earlier[1].resolve);
      await broker.publish([eventOf(type)]);
      await Promise.all(earlier.map(({ promise }) => promise));
      const heard: [string[], string[]] = [[], []];
      await broker.observe([type, "another.type"], ({ id }) => heard[0].push(id));
      const subscription = await other.observe([type], ({ id }) => heard[1].push(id));
      const large = { ...eventOf(type), body: { text: "x".repeat(100_000) } };
      const events = [eventOf(type), large, ...Array.from({ length: 50 }, () => eventOf(type))];
      await broker.publish([eventOf(`${type}.else`), ...events.slice(0, 2)]);
      await other.publish(events.slice(2));
      await eventually(async () => assert.deepEqual(heard, [ids(events), ids(events)]));
      await subscription.close();
      const last = eventOf(type);
      await broker.publish([last]);
      await eventually(async () => assert.equal(heard[0].at(-1), last.id));
      assert.equal(heard[1].length, events.length);
    });

    test("an observer that throws does not silence the others", async () => {
      const { type } = fresh();
      const heard = Promise.withResolvers<void>();
      await broker.observe([type], () => {
        throw new Error("bad observer");
      });
      await broker.observe([type], () => heard.resolve());
      await broker.publish([eventOf(type)]);
      await heard.promise;
    });

    test("publishing nothing is fine, and a client that answers pings", async () => {
      await broker.publish([]);
      await broker.ping();
    });
  });
}

function eventOf(type: string, subject = "com.example.app"): EventEnvelope {
  return {
    id: uuidv7(),
    type,
    source: "/appserver/suite",
    subject,
    time: new Date().toISOString(),
    body: { AppName: subject },
  };
}

function ids(events: readonly EventEnvelope[]): string[] {
  return events.map(({ id }) => id);
}

/** Remembers deliveries as their handlers end, and lets a test wait for them. */
class Recorder {
  readonly deliveries: Delivery[] = [];
  readonly #work: (delivery: Delivery) => Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(work: (delivery: Delivery) => Promise<void> = async () => {}) {
    this.#work = work;
  }

  readonly handler = async (delivery: Delivery): Promise<void> => {
    this.deliveries.push(delivery);
    for (const check of this.#waiting) check();
    await this.#work(delivery);
  };

  before(gate: () => Promise<void>): (delivery: Delivery) => Promise<void> {
    return async (delivery) => {
      await this.handler(delivery);
      await gate();
    };
  }

  ids(): string[] {
    return this.deliveries.map(({ event }) => event.id);
  }

  count(deliveries: number): Promise<void> {
    return this.until(() => this.deliveries.length >= deliveries);
  }

  until(condition: (last: Delivery) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        const last = this.deliveries.at(-1);
        if (last && condition(last)) resolve();
      };
      this.#waiting.push(check);
      check();
    });
  }
}

async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}
