import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { until } from "@appserver/testing/kit";
import { Connection } from "rabbitmq-client";
import { ensureRabbitMq } from "../../../../tools/services/rabbitmq.ts";
import { eventOf, ids, Recorder } from "../../broker-fixture.ts";
import { RabbitBroker } from "./rabbit-broker.ts";

const rabbitmq = await ensureRabbitMq();
const skip = "unavailable" in rabbitmq && rabbitmq.unavailable;
after(async () => {
  if (!("unavailable" in rabbitmq)) await rabbitmq.stop();
});

/** Passes bytes between clients and the server, and can lose the clients without the server's notice, as a network does. */
class Relay {
  readonly #pairs: { readonly client: Socket; readonly server: Socket }[] = [];
  readonly #listener: Server;

  private constructor(listener: Server) {
    this.#listener = listener;
  }

  static async start(target: URL): Promise<Relay> {
    const listener = createServer((client) => {
      const server = connect(Number(target.port), target.hostname);
      relay.#pairs.push({ client, server });
      for (const socket of [client, server]) socket.on("error", () => {});
      client.pipe(server, { end: false });
      server.pipe(client, { end: false });
      server.once("close", () => client.destroy());
    });
    const relay = new Relay(listener);
    await once(listener.listen(0, "127.0.0.1"), "listening");
    return relay;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Ends the connections of all clients. For the server they stay open until the returned function is called. */
  loseClients(): () => void {
    const lost = this.#pairs.splice(0);
    for (const { client, server } of lost) {
      client.destroy();
      server.resume();
    }
    return () => {
      for (const { server } of lost) server.destroy();
    };
  }

  stop(): void {
    this.loseClients()();
    this.#listener.close();
  }
}

test("events that a consumer has received run before later ones, also if its connection is lost before", {
  skip,
}, async (t) => {
  if ("unavailable" in rabbitmq) return;
  const virtualHost = await rabbitmq.createVirtualHost();
  const url = new URL(virtualHost.url);
  const relay = await Relay.start(url);
  const other = new Connection(virtualHost.url);
  const brokers: RabbitBroker[] = [];
  t.after(async () => {
    for (const broker of brokers) await broker.stop();
    await other.close();
    relay.stop();
    await virtualHost.drop();
  });
  const open = async (port: string): Promise<RabbitBroker> => {
    const address = Object.assign(new URL(url), { port });
    const options = { clock: new SystemClock(), logger: silentLogger, prefetch: 3, maxRetries: 5, stopTimeoutMs: 200 };
    const broker = new RabbitBroker({ ...options, url: address.href, retryDelayMs: () => 20 });
    brokers.push(broker);
    await broker.start();
    return broker;
  };
  const [publishing, consuming] = [await open(url.port), await open(String(relay.port))];
  const waiting = async (): Promise<number> =>
    (await other.queueDeclare({ queue: "lost.lost.happened", passive: true })).messageCount;
  const gate = Promise.withResolvers<void>();
  const recorder = new Recorder(() => gate.promise);
  await consuming.consume({ prefix: "lost.", types: ["lost.happened"] }, recorder.handler);
  const events = Array.from({ length: 6 }, () => eventOf("lost.happened"));
  await publishing.publish(events);
  await recorder.count(1);
  await until("one event runs, two wait behind it, the queue has the others", async () => (await waiting()) === 3);
  const endLost = relay.loseClients();
  // For the server the lost consumer still has the first three events, so the new one receives the others.
  await until("the new connection has the others", async () => (await waiting()) === 0);
  gate.resolve();
  await recorder.until(({ event }) => event.id === events.at(-1)?.id);
  assert.deepEqual(recorder.ids(), ids(events));
  // Now the server detects the loss, and delivers the first three again.
  endLost();
  await until("the queue is empty", async () => (await waiting()) === 0 && recorder.deliveries.length >= 9);
  assert.deepEqual([...new Set(recorder.ids())], ids(events));
});
