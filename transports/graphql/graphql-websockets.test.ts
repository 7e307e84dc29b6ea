import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import type { HttpListener } from "../http/index.ts";
import {
  type Body,
  clock,
  collect,
  emit,
  fanout,
  graphqlUrl,
  startedGraphql,
  subscribers,
  uncheckable,
} from "../test/graphql-under-test.ts";

describe("GraphQL over WebSockets", () => {
  let listener: HttpListener;
  let url: string;
  before(async () => {
    await fanout.start();
    listener = await startedGraphql();
    url = graphqlUrl(listener);
  });
  after(() => listener.stop());

  test("graphql-transport-ws carries queries and subscriptions, and releases both", async () => {
    const client = createClient({
      url: url.replace("http", "ws"),
      webSocketImpl: WebSocket,
      connectionParams: { token: "alice" },
    });
    const [viewer] = await collect(client.iterate({ query: "{ viewer { subject } }" }));
    assert.deepEqual(viewer, { data: { viewer: { subject: "user:alice" } } });
    const events = client.iterate({ query: "subscription { appStateChanged { name } }" });
    const first = events.next();
    await eventually(() => subscribers === 1);
    emit("one");
    assert.deepEqual((await first).value, { data: { appStateChanged: { name: "one" } } });
    await events.return?.();
    await eventually(() => subscribers === 0);
    const invalid = client.iterate({ query: "{ nothing }" });
    await assert.rejects(
      invalid.next(),
      (errors) => (errors as Body["errors"])?.[0]?.extensions["code"] === "VALIDATION_ERROR",
    );
    const refused = await collect(client.iterate({ query: "subscription { systemEvent { __typename } }" }));
    assert.equal((refused[0] as Body).errors?.[0]?.extensions["code"], "SERVICE_UNAVAILABLE");
    await client.dispose();
  });

  function open(protocol: string | undefined, options: object = {}): WebSocket {
    return new WebSocket(url.replace("http", "ws"), protocol === undefined ? [] : [protocol], options);
  }

  /** Returns a function that waits for the next message. */
  function inbox(socket: WebSocket): () => Promise<Record<string, unknown>> {
    const messages = on(socket);
    return async () => JSON.parse(String((await messages.next()).value));
  }

  async function* on(socket: WebSocket): AsyncGenerator<unknown> {
    const queue: unknown[] = [];
    let wake = (): void => {};
    socket.on("message", (data) => {
      queue.push(data);
      wake();
    });
    for (;;) {
      while (queue.length > 0) yield queue.shift();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  test("the older graphql-ws carries the Apollo messages", async () => {
    const socket = open("graphql-ws");
    const messages = inbox(socket);
    const next = async (): Promise<Record<string, unknown>> => {
      for (;;) {
        const message = await messages();
        if (message["type"] !== "ka") return message;
      }
    };
    await once(socket, "open");
    const send = (message: object): void => socket.send(JSON.stringify(message));
    const received = messages();
    send({ type: "connection_init", payload: { token: "alice" } });
    assert.deepEqual(await received, { type: "connection_ack" });
    assert.deepEqual(await messages(), { type: "ka" });
    send({ id: "1", type: "start", payload: { query: "{ viewer { subject } }" } });
    assert.deepEqual(await next(), { type: "data", id: "1", payload: { data: { viewer: { subject: "user:alice" } } } });
    assert.deepEqual(await next(), { type: "complete", id: "1" });
    send({ id: "2", type: "start", payload: { query: "subscription { appStateChanged { name } }" } });
    await eventually(() => subscribers === 1);
    emit("two");
    assert.deepEqual(await next(), { type: "data", id: "2", payload: { data: { appStateChanged: { name: "two" } } } });
    assert.deepEqual(await messages(), { type: "ka" }, "again and again");
    send({ id: "2", type: "stop" });
    assert.deepEqual(await next(), { type: "complete", id: "2" });
    await eventually(() => subscribers === 0);
    send({ id: "3", type: "start", payload: { query: "{ nothing }" } });
    const error = (await next()) as { type: string; payload: { extensions: { code: string } } };
    assert.deepEqual([error.type, error.payload.extensions.code], ["error", "VALIDATION_ERROR"]);
    send({ type: "connection_terminate" });
    assert.equal((await once(socket, "close"))[0], 1000);
  });

  for (const protocol of ["graphql-transport-ws", "graphql-ws"]) {
    test(`${protocol}: failed credentials close with 4401, and so does a start before init`, async () => {
      const refused = open(protocol);
      await once(refused, "open");
      refused.send(JSON.stringify({ type: "connection_init", payload: { token: "bad" } }));
      assert.equal((await once(refused, "close"))[0], 4401);
      const hasty = open(protocol);
      await once(hasty, "open");
      const type = protocol === "graphql-ws" ? "start" : "subscribe";
      hasty.send(JSON.stringify({ id: "1", type, payload: { query: "{ viewer { subject } }" } }));
      assert.equal((await once(hasty, "close"))[0], 4401);
    });

    test(`${protocol}: a number that would change ends its operation with an error, and the socket stays open`, async () => {
      const socket = open(protocol);
      await once(socket, "open");
      const messages: { type: string; id?: string; payload?: unknown }[] = [];
      socket.on("message", (data) => messages.push(JSON.parse(String(data)) as (typeof messages)[number]));
      const send = (text: string) => socket.send(text);
      send(JSON.stringify({ type: "connection_init", payload: { token: "alice" } }));
      await eventually(() => messages.some(({ type }) => type === "connection_ack"));
      const type = protocol === "graphql-ws" ? "start" : "subscribe";
      send(
        `{"id":"1","type":"${type}","payload":{"query":"query ($a: JSON) { viewer { subject } }","variables":{"a":[1e400]}}}`,
      );
      send(JSON.stringify({ id: "2", type, payload: { query: "{ viewer { subject } }" } }));
      await eventually(() => messages.some(({ type, id }) => type === "complete" && id === "2"));
      const refused = messages.find(({ id }) => id === "1");
      assert.equal(refused?.type, "error");
      const [error] = [refused?.payload].flat() as {
        readonly message: string;
        readonly extensions: { readonly code: string };
      }[];
      assert.match(error?.message ?? "", /^variables\.a\[0\] must be/);
      assert.equal(error?.extensions.code, "VALIDATION_ERROR");
      socket.close();
    });

    test(`${protocol}: a caller that cannot be checked is closed with 1013`, async (t) => {
      uncheckable.add("alice");
      t.after(() => uncheckable.clear());
      const refused = open(protocol);
      await once(refused, "open");
      refused.send(JSON.stringify({ type: "connection_init", payload: { token: "alice" } }));
      assert.equal((await once(refused, "close"))[0], 1013);
    });

    test(`${protocol}: a client that disconnects ends its subscriptions, one that does not read is closed`, async () => {
      const type = protocol === "graphql-ws" ? "start" : "subscribe";
      const subscribe = async (): Promise<WebSocket> => {
        const socket = open(protocol);
        await once(socket, "open");
        socket.send(JSON.stringify({ type: "connection_init" }));
        await once(socket, "message");
        socket.send(
          JSON.stringify({ id: "1", type, payload: { query: "subscription { appStateChanged { name displayName } }" } }),
        );
        await eventually(() => subscribers === 1);
        return socket;
      };
      const leaving = await subscribe();
      leaving.terminate();
      await eventually(() => subscribers === 0);

      const slow = await subscribe();
      slow.pause();
      const closed = once(slow, "close");
      const large = "x".repeat(1_000_000);
      for (let index = 0; index < 200 && subscribers === 1; index += 1) {
        emit(String(index), large);
        await clock.sleep(1);
      }
      assert.equal(subscribers, 0, "the server did not wait");
      slow.resume();
      assert.ok([4429, 1006].includes((await closed)[0]));
    });
  }

  test("the library graphql-ws tries again while its user cannot be checked", async () => {
    uncheckable.add("alice");
    const client = createClient({
      url: url.replace("http", "ws"),
      webSocketImpl: WebSocket,
      connectionParams: { token: "alice" },
      retryWait: async () => {
        uncheckable.clear();
      },
    });
    const [viewer] = await collect(client.iterate({ query: "{ viewer { subject } }" }));
    assert.deepEqual(viewer, { data: { viewer: { subject: "user:alice" } } });
    await client.dispose();
  });

  test("a slow reader is closed with 4429", async () => {
    const socket = open("graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    await once(socket, "message");
    socket.send(
      JSON.stringify({ id: "1", type: "subscribe", payload: { query: "subscription { appStateChanged { name } }" } }),
    );
    await eventually(() => subscribers === 1);
    for (let index = 0; index < 50; index += 1) emit(String(index));
    assert.equal((await once(socket, "close"))[0], 4429);
  });

  test("pages of other origins and unknown subprotocols are refused at the upgrade", async () => {
    const status = async (socket: WebSocket): Promise<string> => ((await once(socket, "error")) as [Error])[0].message;
    assert.match(await status(open("graphql-transport-ws", { origin: "https://evil.example" })), /403/);
    assert.match(await status(open("mqtt")), /400/);
    assert.match(await status(open(undefined)), /400/);
    const own = open("graphql-transport-ws", { origin: new URL(url).origin });
    await once(own, "open");
    own.terminate();
  });

  test("the server pings, and closes clients that do not respond", async () => {
    const socket = open("graphql-transport-ws", { autoPong: false });
    await once(socket, "ping");
    assert.equal((await once(socket, "close"))[0], 1006);
  });

  test("stopping closes sockets with 1001", async () => {
    const other = await startedGraphql();
    const { host, port } = other.address();
    const socket = new WebSocket(`ws://${host}:${port}/graphql`, ["graphql-transport-ws"]);
    await once(socket, "open");
    const closed = once(socket, "close");
    await other.stop();
    assert.equal((await closed)[0], 1001);
  });

  // A client that is not cut in time delays the stop by 30 s.
  test("stopping does not wait for a client that does not respond to the close frame", { timeout: 20_000 }, async () => {
    const other = await startedGraphql(undefined, 60_000);
    const socket = new WebSocket(graphqlUrl(other).replace("http", "ws"), ["graphql-transport-ws"]);
    await once(socket, "open");
    socket.pause();
    await other.stop();
    socket.terminate();
  });
});
