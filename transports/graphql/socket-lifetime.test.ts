import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, describe, test } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { WebSocket } from "ws";
import type { HttpListener } from "../http/index.ts";
import {
  clock,
  connections,
  emit,
  fanout,
  graphqlUrl,
  largestLoad,
  revoked,
  signedOut,
  startedGraphql,
  subscribers,
} from "../test/graphql-under-test.ts";

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly data?: unknown; readonly errors?: readonly { extensions: Record<string, unknown> }[] };
}

/** A client that stores the messages that it receives. */
class Client {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  readonly #begin: string;

  constructor(url: string, protocol: string) {
    this.socket = new WebSocket(url.replace("http", "ws"), [protocol]);
    this.#begin = protocol === "graphql-ws" ? "start" : "subscribe";
    this.socket.on("message", (data) => this.messages.push(JSON.parse(String(data))));
    this.closed = new Promise((resolve) => this.socket.once("close", resolve));
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async init(token?: string): Promise<this> {
    await once(this.socket, "open");
    this.send({ type: "connection_init", payload: { token } });
    await eventually(() => this.messages.some(({ type }) => type === "connection_ack"));
    return this;
  }

  begin(id: string, query: string): void {
    this.send({ id, type: this.#begin, payload: { query } });
  }

  of(id: string): Message[] {
    return this.messages.filter((message) => message.id === id);
  }
}

const subscription = "subscription { appStateChanged { name } }";

for (const protocol of ["graphql-transport-ws", "graphql-ws"]) {
  describe(`a socket of ${protocol}`, () => {
    let listener: HttpListener;
    let url: string;
    const open: Client[] = [];
    const connect = (): Client => {
      const client = new Client(url, protocol);
      open.push(client);
      return client;
    };
    before(async () => {
      await fanout.start();
      listener = await startedGraphql(undefined, 1_000);
      url = graphqlUrl(listener);
    });
    afterEach(async () => {
      signedOut.clear();
      revoked.clear();
      for (const { socket } of open.splice(0)) socket.terminate();
      await eventually(() => subscribers === 0);
    });
    after(() => listener.stop());

    test("is closed, with its subscriptions, when its session has ended", async () => {
      const client = await connect().init("alice");
      client.begin("1", subscription);
      await eventually(() => subscribers === 1);
      connections.recheck(() => true);
      await clock.sleep(50);
      assert.equal(client.socket.readyState, WebSocket.OPEN);
      signedOut.add("alice");
      connections.recheck(() => true);
      assert.equal(await client.closed, 4401);
      await eventually(() => subscribers === 0);
    });

    test("runs no operation after its session has ended", async () => {
      const client = await connect().init("alice");
      client.begin("1", "{ viewer { subject } }");
      await eventually(() => client.of("1").length === 2);
      signedOut.add("alice");
      client.begin("2", 'mutation { installApp(name: "a") { success } }');
      assert.equal(await client.closed, 4401);
      assert.equal(
        client.of("2").some(({ payload }) => payload?.data),
        false,
      );
    });

    test("loses the subscriptions that are not allowed any more, and stays open", async () => {
      const client = await connect().init("alice");
      client.begin("1", subscription);
      await eventually(() => subscribers === 1);
      emit("before");
      await eventually(() => client.of("1").length === 1);
      revoked.add("alice");
      connections.recheck(() => true);
      await eventually(() => client.of("1").at(-1)?.type === "complete");
      emit("after");
      assert.equal(client.of("1").at(-2)?.payload?.errors?.[0]?.extensions["code"], "PERMISSION_DENIED");
      client.begin("2", "{ viewer { subject } }");
      await eventually(() => client.of("2").length === 2);
      assert.doesNotMatch(JSON.stringify(client.messages), /after/);
    });

    test("stays open when a subscription fails after it began, and reports the reason", async () => {
      const client = await connect().init("alice");
      for (const [hookName, code] of [
        ["none", "VALIDATION_ERROR"],
        ["crash", "INTERNAL_ERROR"],
      ] as const) {
        client.begin(hookName, `subscription { hookTriggered(hookName: "${hookName}") { id } }`);
        await eventually(() => client.of(hookName).at(-1)?.type === "complete");
        const [first, last] = client.of(hookName);
        assert.deepEqual(first?.payload?.data, { hookTriggered: { id: "1" } });
        assert.equal(last?.payload?.errors?.[0]?.extensions["code"], code);
        assert.doesNotMatch(JSON.stringify(last), /secret/);
      }
      client.begin("after", "{ viewer { subject } }");
      await eventually(() => client.of("after").length === 2);
    });

    test("may have a hundred operations: the next closes it with all of them, and nothing runs after that", async () => {
      const client = await connect().init("alice");
      for (let index = 0; index < 2_000; index += 1) client.begin(String(index), subscription);
      client.begin("late", "{ viewer { subject } }");
      assert.equal(await client.closed, 4429);
      await eventually(() => subscribers === 0);
      assert.deepEqual(client.of("late"), []);
    });

    test("is terminated if its client does not respond to the close frame", async () => {
      const client = await connect().init("alice");
      client.socket.pause();
      signedOut.add("alice");
      connections.recheck(() => true);
      const [raw] = [(client.socket as unknown as { _socket: NodeJS.EventEmitter })._socket];
      const gone = once(raw, "close");
      await clock.sleep(1_200);
      client.socket.resume();
      await gone;
    });

    test("is not read while its messages wait: hundreds of queries run a few at a time", async () => {
      const client = await connect().init("alice");
      for (let index = 0; index < 500; index += 1) client.begin(String(index), '{ app(name: "slow") { name } }');
      await eventually(() => client.messages.filter(({ type }) => type === "complete").length === 500);
      assert.ok(largestLoad() <= 32, `${largestLoad()} at once`);
    });

    test("must send connection_init in time", async () => {
      assert.equal(await connect().closed, 4408);
    });
  });
}
