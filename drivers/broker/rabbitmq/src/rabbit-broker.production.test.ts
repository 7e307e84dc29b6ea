import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { isAppError, type Logger, SystemClock, silentLogger } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { Connection } from "rabbitmq-client";
import { ensureRabbitMq } from "../../../../tools/services/rabbitmq.ts";
import { brokerSuite } from "../../broker.suite.ts";
import { type BrokerHarness, eventOf, Recorder } from "../../broker-fixture.ts";
import { RabbitBroker, type RabbitBrokerOptions } from "./rabbit-broker.ts";
import { deadLetterQueue } from "./topology.ts";

const server = await ensureRabbitMq();
const skip = "unavailable" in server && server.unavailable;
after(async () => {
  if (!("unavailable" in server)) await server.stop();
});

function createVirtualHost(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  if ("unavailable" in server) throw new Error(server.unavailable);
  return server.createVirtualHost();
}

function ctl(...args: string[]): Promise<string> {
  if ("unavailable" in server) throw new Error(server.unavailable);
  return server.ctl(...args);
}

function brokerOn(url: string, options: Partial<RabbitBrokerOptions> = {}): RabbitBroker {
  const clock = new SystemClock();
  return new RabbitBroker({
    url,
    clock,
    logger: silentLogger,
    prefetch: 10,
    maxRetries: 5,
    retryDelayMs: () => 20,
    stopTimeoutMs: 200,
    ...options,
  });
}

async function createHarness(): Promise<BrokerHarness> {
  const { url, drop } = await createVirtualHost();
  return {
    ordersAcrossProcesses: false,
    open: async () => {
      const broker = brokerOn(url);
      await broker.start();
      return broker;
    },
    spawnHangingConsumer: (options) => {
      const script = join(import.meta.dirname, "..", "test", "hang-on-events.ts");
      return spawn(process.execPath, [script, url, JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit"] });
    },
    close: drop,
  };
}

brokerSuite("RabbitMQ", createHarness, skip);

describe("RabbitMQ broker", { timeout: 60_000, skip }, () => {
  let url: string;
  let drop: () => Promise<void>;
  let broker: RabbitBroker;
  /** A connection that acts as another program on the same server. */
  let other: Connection;
  const stopping: RabbitBroker[] = [];
  before(async () => {
    ({ url, drop } = await createVirtualHost());
    broker = brokerOn(url);
    await broker.start();
    other = new Connection(url);
    other.on("error", () => {});
  });
  afterEach(async () => {
    for (const each of stopping.splice(0)) await each.stop();
  });
  after(async () => {
    await broker?.stop();
    await other?.close();
    await drop?.();
  });

  test("exchange, queues and dead letters are declared as in docs/interface/events.md#broker-layout", async () => {
    const prefix = "appserver.subscriber.";
    await broker.consume({ prefix, types: ["app.installed", "app.uninstalled"] }, async () => {});
    const vhost = new URL(url).pathname.slice(1);
    const exchanges = await ctl("list_exchanges", "--vhost", vhost, "--silent", "name", "type", "durable");
    assert.match(exchanges, /^appserver\.events\ttopic\ttrue$/m);
    assert.match(exchanges, /^appserver\.events\.dlx\tdirect\ttrue$/m);
    const queues = await ctl("list_queues", "--vhost", vhost, "--silent", "name", "type", "durable");
    for (const type of ["app.installed", "app.uninstalled"]) {
      for (const queue of [prefix + type, `${prefix + type}.dlq`]) assert.ok(queues.includes(`${queue}\tquorum\ttrue`), queue);
    }
    const bindings = await ctl("list_bindings", "--vhost", vhost, "--silent", "source_name", "destination_name", "routing_key");
    assert.match(bindings, /^appserver\.events\tappserver\.subscriber\.app\.installed\tapp\.installed$/m);
    await broker.observe(["app.installed"], () => {});
    const own = await ctl("list_queues", "--vhost", vhost, "--silent", "name", "exclusive", "auto_delete");
    assert.match(own, /^appserver\.instance\.[0-9a-f-]{36}\ttrue\ttrue$/m);
  });

  test("an event of another program, plain JSON without headers, is delivered", async () => {
    const recorder = new Recorder(async ({ attempt }) => {
      if (attempt === 1) throw new Error("once more");
    });
    await broker.consume({ prefix: "foreign.", types: ["foreign.happened"] }, recorder.handler);
    const publisher = other.createPublisher({ confirm: true });
    const body = { AppName: "com.example.notes", AppID: "42" };
    await publisher.send({ exchange: "appserver.events", routingKey: "foreign.happened" }, body);
    await publisher.send({ exchange: "appserver.events", routingKey: "foreign.happened" }, Buffer.from('{"app_name":"b"}'));
    await publisher.close();
    await recorder.count(4);
    const [first, second] = [recorder.deliveries[0]?.event, recorder.deliveries[1]?.event];
    assert.deepEqual([first?.subject, first?.type, first?.body], ["com.example.notes", "foreign.happened", body]);
    assert.equal(second?.subject, "b");
    assert.deepEqual(new Set(recorder.ids()), new Set([first?.id, second?.id]), "a retry keeps the id");
  });

  test("a body that is not JSON is a dead letter at once, and the next event is handled", async () => {
    const recorder = new Recorder();
    await broker.consume({ prefix: "garbled.", types: ["garbled.happened"] }, recorder.handler);
    const publisher = other.createPublisher({ confirm: true });
    await publisher.send({ exchange: "appserver.events", routingKey: "garbled.happened" }, Buffer.from("\u0000 no JSON"));
    await publisher.close();
    const next = eventOf("garbled.happened");
    await broker.publish([next]);
    await recorder.count(1);
    assert.deepEqual(recorder.ids(), [next.id]);
    await eventually(async () => {
      const [letter] = await broker.deadLetters("garbled.garbled.happened", 10);
      assert.deepEqual([letter?.error, letter?.event.body["unreadable"]], ["the message's body is not JSON", "\u0000 no JSON"]);
    });
  });

  test("dead letters stay in the queue when they are listed repeatedly", async () => {
    const queue = "listed.listed.happened";
    await broker.consume({ prefix: "listed.", types: ["listed.happened"], maxRetries: 0 }, async () => {
      throw new Error("always");
    });
    await broker.publish([eventOf("listed.happened"), eventOf("listed.happened")]);
    await eventually(async () => assert.equal((await broker.deadLetters(queue, 10)).length, 2));
    for (let round = 0; round < 30; round++) assert.equal((await broker.deadLetters(queue, 10)).length, 2, `round ${round}`);
    assert.deepEqual(
      (await broker.queueDepths()).find((depth) => depth.queue === queue),
      { queue, pending: 0, dead: 2 },
    );
    assert.deepEqual(await broker.deadLetters("nobody.ever", 10), []);
  });

  test("the count of dead letters is correct while this process and another list them", async () => {
    const queue = "counted.counted.happened";
    const options = { prefix: "counted.", types: ["counted.happened"], maxRetries: 0 };
    const fail = () => Promise.reject(new Error("always"));
    await broker.consume(options, fail);
    const second = brokerOn(url);
    stopping.push(second);
    await second.start();
    await second.consume(options, fail);
    const events = Array.from({ length: 20 }, () => eventOf("counted.happened"));
    await broker.publish(events);
    await eventually(async () => assert.equal((await broker.deadLetters(queue, 100)).length, 20));
    const wrong: number[] = [];
    let counted = 0;
    const repeat = async (work: () => Promise<number>): Promise<void> => {
      for (let round = 0; round < 8; round += 1) {
        const count = await work();
        counted += 1;
        if (count !== 20) wrong.push(count);
      }
    };
    const depth = async (each: RabbitBroker) =>
      (await each.queueDepths()).find((found) => found.queue === queue)?.dead ?? Number.NaN;
    await Promise.all([
      repeat(async () => (await broker.deadLetters(queue, 100)).length),
      repeat(async () => (await second.deadLetters(queue, 100)).length),
      repeat(() => depth(broker)),
      repeat(() => depth(second)),
    ]);
    assert.deepEqual([counted, wrong], [32, []]);
  });

  test("an event that kills its consumers every time ends as a dead letter", async () => {
    const options = { prefix: "killer.", types: ["killer.happened"], maxRetries: 2 };
    const queue = "killer.killer.happened";
    await (await broker.consume(options, async () => {})).close();
    await broker.publish([eventOf("killer.happened")]);
    for (let death = 1; death <= 3; death++) {
      const channel = await other.acquire();
      await eventually(async () => assert.ok(await channel.basicGet(queue)));
      await channel.close();
    }
    const delivered = new Recorder();
    await broker.consume(options, delivered.handler);
    await eventually(async () => {
      const [letter] = await broker.deadLetters(queue, 1);
      assert.deepEqual([letter?.attempts, letter?.error], [3, "its consumers ended before they settled it"]);
    });
    assert.deepEqual(delivered.ids(), []);
  });

  test("several types of one consumer share its prefetch", async () => {
    const types = ["many.one", "many.two", "many.three"];
    let running = 0;
    let most = 0;
    const recorder = new Recorder(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    });
    await broker.consume({ prefix: "many.", types, prefetch: 2 }, recorder.handler);
    await broker.publish(Array.from({ length: 30 }, (_, number) => eventOf(types[number % 3] ?? "", `app${number}`)));
    await recorder.count(30);
    assert.equal(most, 2);
  });

  test("a queue that is deleted under its consumer is declared again", async () => {
    const recorder = new Recorder();
    await broker.consume({ prefix: "deleted.", types: ["deleted.happened"] }, recorder.handler);
    await other.queueDelete("deleted.deleted.happened");
    await other.queueDelete(deadLetterQueue("deleted.deleted.happened"));
    await eventually(async () => {
      await broker.publish([eventOf("deleted.happened")]);
      assert.ok(recorder.deliveries.length > 0);
    });
    assert.deepEqual(await broker.deadLetters("deleted.deleted.happened", 1), []);
  });

  test("a deleted dead-letter queue is declared again before anything is lost", async () => {
    const queue = "undead.undead.happened";
    await broker.consume({ prefix: "undead.", types: ["undead.happened"], maxRetries: 0 }, async () => {
      throw new Error("always");
    });
    await other.queueDelete(deadLetterQueue(queue));
    const event = eventOf("undead.happened");
    await broker.publish([event]);
    await eventually(async () => assert.equal((await broker.deadLetters(queue, 1))[0]?.event.id, event.id));
  });

  test("an existing queue of another kind with our name is refused, with instructions", async () => {
    await other.queueDeclare({ queue: "taken.taken.happened", durable: true });
    await assert.rejects(
      broker.consume({ prefix: "taken.", types: ["taken.happened"] }, async () => {}),
      (error) => isAppError(error, "CONFLICT") && /remove it there.*'taken\.taken\.happened'/.test(error.message),
    );
    await broker.ping();
  });

  test("an existing exchange of another kind with our name prevents the start", async () => {
    const virtualHost = await createVirtualHost();
    const there = new Connection(virtualHost.url);
    await there.exchangeDeclare({ exchange: "appserver.events", type: "fanout", durable: true });
    const starting = brokerOn(virtualHost.url);
    stopping.push(starting);
    await assert.rejects(starting.start(), (error) => isAppError(error, "CONFLICT") && /appserver\.events/.test(error.message));
    await there.close();
    await virtualHost.drop();
  });

  test("a user without rights gets an error that names the problem", async () => {
    const vhost = new URL(url).pathname.slice(1);
    await ctl("add_user", "reader", "secret");
    await ctl("set_permissions", "--vhost", vhost, "reader", "^$", "^$", ".*");
    const starting = brokerOn(url.replace("guest:guest", "reader:secret"));
    stopping.push(starting);
    await assert.rejects(starting.start(), (error) => isAppError(error, "PERMISSION_DENIED"));
    await ctl("delete_user", "reader");
  });

  test("a wrong password is logged without the password, and may be corrected while the driver retries", async () => {
    const lines: string[] = [];
    const write = (fields: object, message?: string): void => {
      lines.push(`${message} ${JSON.stringify(fields)}`);
    };
    const logger: Logger = { debug: write, info: write, warn: write, error: write, child: () => logger };
    const starting = brokerOn(url.replace("guest:guest", "guest:canary-password"), { logger, startTimeoutMs: 1_000 });
    stopping.push(starting);
    await starting.start();
    await assert.rejects(starting.publish([eventOf("wrong.password")]), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    assert.match(lines.join("\n"), /ACCESS_REFUSED/);
    assert.ok(!lines.join("\n").includes("canary-password"));
  });

  test("an invalid URL is refused at once", async () => {
    for (const wrong of ["", "localhost:5672", "http://localhost"]) {
      await assert.rejects(brokerOn(wrong).start(), (error) => isAppError(error, "INVALID_REQUEST"));
    }
  });
});
