import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { isAppError, OutboxRelay, platformMigrations, SqlOutbox, SystemClock, silentLogger } from "@appserver/kernel";
import type { Delivery, EventEnvelope } from "@appserver/kernel/ports";
import { createTestDatabase, eventually, recordsMigrations, startTestPostgres } from "@appserver/testing/kit";
import { ensureDebianProgram } from "../../../../tools/services/debian-package.ts";
import { freePort } from "../../../../tools/services/free-port.ts";
import { type PrivateRabbitMq, startPrivateRabbitMq } from "../../../../tools/services/rabbitmq.ts";
import { eventOf, ids, Recorder } from "../../broker-fixture.ts";
import { RabbitBroker, type RabbitBrokerOptions } from "./rabbit-broker.ts";

const clock = new SystemClock();
const prefetch = 10;
const folder = mkdtempSync(join(tmpdir(), "appserver-rabbitmq-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const tlsPort = await freePort();
const openssl = ensureDebianProgram("openssl", "openssl");
if ("path" in openssl) writeTlsListener(openssl.path);
const started = await startPrivateRabbitMq(folder);
const skip = "unavailable" in started && started.unavailable;

/** Adds a TLS listener to the plain one, with its own certificate for 127.0.0.1. */
function writeTlsListener(program: string): void {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=appserver-test"];
  execFileSync(program, [...request, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  const options = { cacertfile: cert, certfile: cert, keyfile: key, verify: "verify_none" };
  const lines = [
    `listeners.ssl.1 = 127.0.0.1:${tlsPort}`,
    ...Object.entries(options).map(([name, value]) => `ssl_options.${name} = ${value}`),
  ];
  writeFileSync(join(folder, "rabbitmq.conf"), lines.join("\n"));
}

/** Returns the events that were handled after an event that follows them in `published`. */
function lateOf(handled: readonly string[], published: readonly string[]): readonly string[] {
  const places = new Map(published.map((id, place) => [id, place]));
  let newest = -1;
  return handled.filter((id) => {
    const place = places.get(id) ?? -1;
    newest = Math.max(newest, place);
    return place < newest;
  });
}

describe("RabbitMQ unavailable, restarted and blocked", { timeout: 600_000, skip }, () => {
  let server: PrivateRabbitMq;
  const brokers: RabbitBroker[] = [];
  const open = async (options: Partial<RabbitBrokerOptions> = {}): Promise<RabbitBroker> => {
    const broker = new RabbitBroker({
      prefetch,
      maxRetries: 5,
      url: server.url,
      clock,
      logger: silentLogger,
      retryDelayMs: () => 20,
      stopTimeoutMs: 200,
      publishTimeoutMs: 2_000,
      ...options,
    });
    brokers.push(broker);
    await broker.start();
    return broker;
  };
  before(() => {
    if (!("unavailable" in started)) server = started;
  });
  afterEach(async () => {
    for (const broker of brokers.splice(0)) await broker.stop();
  });
  after(() => server?.stop());

  /** Publishes as the outbox relay does: in order, repeating each batch until it is confirmed. */
  const publishAll = async (broker: RabbitBroker, events: readonly EventEnvelope[], onBatch: (sent: number) => void) => {
    let refusals = 0;
    for (let from = 0; from < events.length; from += 10) {
      while (
        !(await broker.publish(events.slice(from, from + 10)).then(
          () => true,
          () => false,
        ))
      ) {
        refusals += 1;
        await clock.sleep(50);
      }
      onBatch(from + 10);
    }
    return refusals;
  };

  test("a stopped and a killed server under load lose nothing, and few events come after later ones of their subject", async (t) => {
    const type = "restart.happened";
    const [publishing, consuming] = [await open(), await open()];
    const seen = new Map<string, number>();
    const order = new Map<string, string[]>();
    const observed: string[] = [];
    await consuming.observe([type], ({ id }) => observed.push(id));
    await consuming.consume({ prefix: "restart.", types: [type] }, async ({ event: { id, subject } }: Delivery) => {
      await clock.sleep(1);
      if (!seen.has(id)) order.set(subject, [...(order.get(subject) ?? []), id]);
      seen.set(id, (seen.get(id) ?? 0) + 1);
    });
    const events = Array.from({ length: 3_000 }, (_, number) => eventOf(type, `app${number % 7}`));
    const restarts: Promise<void>[] = [];
    const refusals = await publishAll(publishing, events, (sent) => {
      if (sent === 1_000) restarts.push(server.stop().then(() => server.start()));
      if (sent === 2_000) restarts.push(server.kill().then(() => server.start()));
    });
    await Promise.all(restarts);
    await eventually(async () => assert.equal(seen.size, 3_000));
    const duplicates = [...seen.values()].reduce((sum, times) => sum + times - 1, 0);
    t.diagnostic(
      `sent 3000, received ${seen.size}, lost ${3_000 - seen.size}, duplicates ${duplicates}, refused batches ${refusals}`,
    );
    assert.ok(refusals > 0, "the server was away");
    // Only events that were on their way to the consumer when a connection was lost come after later ones, at most `prefetch` each
    // time (docs/interface/events.md#delivery).
    const late = [...order].flatMap(([subject, handled]) =>
      lateOf(handled, ids(events.filter((event) => event.subject === subject))),
    );
    t.diagnostic(`${late.length} events came after later ones of their subject`);
    assert.ok(late.length <= 2 * prefetch, `${late.length} events came late`);
    assert.deepEqual(await consuming.deadLetters(`restart.${type}`, 1), []);
    const last = eventOf(type);
    await eventually(async () => {
      await publishing.publish([last]);
      assert.ok(observed.includes(last.id), "observers are bound again");
    });
  });

  test("amqps:// accepts a trusted certificate and refuses an untrusted one", async (t) => {
    if ("unavailable" in openssl) return t.skip(openssl.unavailable);
    const url = `amqps://guest:guest@127.0.0.1:${tlsPort}`;
    const trusting = await open({ url, tls: { ca: readFileSync(join(folder, "cert.pem"), "utf8") } });
    const recorder = new Recorder();
    await trusting.consume({ prefix: "tls.", types: ["tls.happened"] }, recorder.handler);
    await trusting.publish([eventOf("tls.happened")]);
    await recorder.count(1);
    const doubting = await open({ url, startTimeoutMs: 500 });
    await assert.rejects(doubting.publish([eventOf("tls.happened")]), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
  });

  test("unavailable at start: consumers and observers start when the server does", async () => {
    await server.stop();
    const broker = await open({ startTimeoutMs: 100 });
    const recorder = new Recorder();
    const observed: string[] = [];
    await broker.consume({ prefix: "late.", types: ["late.happened"] }, recorder.handler);
    await broker.observe(["late.happened"], ({ id }) => observed.push(id));
    await assert.rejects(broker.publish([eventOf("late.happened")]), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    await assert.rejects(broker.ping(), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    await assert.rejects(broker.deadLetters("late.late.happened", 1), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    await server.start();
    const event = eventOf("late.happened");
    await eventually(async () => {
      await broker.publish([event]);
      assert.ok(recorder.ids().includes(event.id) && observed.includes(event.id));
    });
    await broker.ping();
  });

  test("stopping does not wait for an unavailable server", async () => {
    const broker = await open({ url: `amqp://guest:guest@127.0.0.1:${await freePort()}`, startTimeoutMs: 50 });
    await broker.consume({ prefix: "gone.", types: ["gone.happened"] }, async () => {});
    const begun = clock.monotonic();
    await broker.stop();
    assert.ok(clock.monotonic() - begun < 5_000);
  });

  test("a blocked server: publishing rejects in time, consuming continues, and all events are delivered afterwards", async () => {
    const type = "blocked.happened";
    const [publishing, consuming] = [await open({ publishTimeoutMs: 1_000 }), await open()];
    const release = Promise.withResolvers<void>();
    const recorder = new Recorder(async ({ event, attempt }) => {
      await release.promise;
      if (event.subject === "failing" && attempt === 1) throw new Error("while blocked");
    });
    await consuming.consume({ prefix: "blocked.", types: [type], prefetch: 20 }, recorder.handler);
    const earlier = [eventOf(type, "failing"), ...Array.from({ length: 30 }, (_, number) => eventOf(type, `app${number}`))];
    await publishing.publish(earlier);
    await recorder.count(20);
    await server.ctl("set_vm_memory_high_watermark", "0");
    for (const attempt of [1, 2, 3]) {
      const begun = clock.monotonic();
      await assert.rejects(
        publishing.publish([eventOf(type)]),
        (error) => isAppError(error, "SERVICE_UNAVAILABLE"),
        `${attempt}`,
      );
      assert.ok(clock.monotonic() - begun < 5_000);
    }
    await assert.rejects(publishing.ping(), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    release.resolve();
    // The failing event waits to be published to the retry queue; the others need no publishing.
    await recorder.count(31);
    await server.ctl("set_vm_memory_high_watermark", "0.4");
    await recorder.until(({ event, attempt }) => event.subject === "failing" && attempt === 2);
    const later = eventOf(type, "later");
    await eventually(() => publishing.publish([later]));
    await recorder.until(({ event }) => event.id === later.id);
    assert.deepEqual(
      ids(earlier).filter((id) => !recorder.ids().includes(id)),
      [],
    );
    await publishing.ping();
  });

  test("a hanging server: publishing and queries reject in time, and work again afterwards", async () => {
    const broker = await open({ publishTimeoutMs: 500 });
    const recorder = new Recorder();
    await broker.consume({ prefix: "hanging.", types: ["hanging.happened"] }, recorder.handler);
    server.suspend();
    try {
      const begun = clock.monotonic();
      await assert.rejects(broker.publish([eventOf("hanging.happened")]), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
      await assert.rejects(broker.ping(100), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
      assert.ok(clock.monotonic() - begun < 5_000);
    } finally {
      server.resume();
    }
    const later = eventOf("hanging.happened");
    await eventually(() => broker.publish([later]));
    await recorder.until(({ event }) => event.id === later.id);
  });

  test("the outbox waits while the server is blocked or unavailable, and publishes in order per app", async (t) => {
    const postgres = await startTestPostgres();
    const fixture = await createTestDatabase(postgres);
    await fixture.database.migrate([...platformMigrations, ...recordsMigrations]);
    const type = "outbox.happened";
    const broker = await open({ publishTimeoutMs: 1_000 });
    const order = new Map<string, Set<string>>();
    await broker.consume({ prefix: "outbox.", types: [type] }, async ({ event }) => {
      order.set(event.subject, (order.get(event.subject) ?? new Set()).add(event.id));
    });
    // RabbitMQ 3.10 does not find a queue again that it created less than a second before it is killed. A stop writes it.
    await server.stop();
    await server.start();
    const relay = new OutboxRelay({
      database: fixture.database,
      broker,
      history: { append: async () => {} },
      clock,
      logger: silentLogger,
      backoffMs: [50, 200],
    });
    relay.start();
    t.after(async () => {
      await relay.stop();
      await fixture.stop();
      await postgres.stop();
    });
    const outbox = new SqlOutbox();
    const events: EventEnvelope[] = [];
    const append = async (): Promise<void> => {
      const more = Array.from({ length: 50 }, (_, number) => eventOf(type, `app${number % 5}`));
      events.push(...more);
      for (const event of more) await fixture.database.transaction((tx) => outbox.append(tx, [event]));
    };
    const held = async (): Promise<number> => (await fixture.database.query("select 1 from platform.outbox")).count;
    const drained = () => eventually(async () => assert.equal(await held(), 0));

    await append();
    await drained();
    await server.ctl("set_vm_memory_high_watermark", "0");
    await append();
    const whileBlocked = await held();
    await server.ctl("set_vm_memory_high_watermark", "0.4");
    await drained();
    const handled = (): number => [...order.values()].reduce((sum, seen) => sum + seen.size, 0);
    const allHandled = () => eventually(async () => assert.equal(handled(), events.length));
    // Only then the order in which events are handled is that in which they left the outbox: the server delivers again, and perhaps
    // later, what it has sent on a connection that is lost (docs/interface/events.md#delivery).
    await allHandled();
    await server.kill();
    await append();
    const whileAway = await held();
    await server.start();
    await drained();
    await allHandled();
    t.diagnostic(`sent ${events.length}, received ${handled()}, held while blocked ${whileBlocked}, while away ${whileAway}`);
    assert.ok(whileBlocked > 0 && whileAway === 50);
    for (const [subject, seen] of order) {
      assert.deepEqual([...seen], ids(events.filter((event) => event.subject === subject)));
    }
  });
});
