import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient } from "@appserver/sdk";
import { testApp, until } from "@appserver/testing/kit";
import {
  appserver,
  type ProductionServer,
  type ProductionServices,
  startProductionServices,
} from "@appserver/testing/kit/production";
import { Code, ConnectError } from "@connectrpc/connect";
import { WebSocket } from "ws";
import { ReplicaGroup } from "./replica-group.ts";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

/** Time limit with the event, including the delay of a busy machine. */
const withinMs = 1_000 + 2_000;

interface Message {
  readonly id?: string;
  readonly type: string;
  readonly payload?: { readonly errors?: readonly { readonly extensions: { readonly code: string } }[] };
}

/** A socket of a signed-in user with its received messages. */
class UserSocket {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<readonly unknown[]>;

  private constructor(httpUrl: string) {
    this.socket = new WebSocket(`${httpUrl.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    this.socket.on("message", (data) => this.messages.push(JSON.parse(String(data)) as Message));
    this.closed = once(this.socket, "close");
  }

  static async open(httpUrl: string, token: string): Promise<UserSocket> {
    const client = new UserSocket(httpUrl);
    await once(client.socket, "open");
    client.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    await until("it is acknowledged", async () => client.messages.length > 0);
    return client;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Starts an operation. Resolves when a later operation has run. */
  async begin(id: string, query: string): Promise<void> {
    this.send({ id, type: "subscribe", payload: { query } });
    this.send({ id: `${id} begun`, type: "subscribe", payload: { query: "{ health { status } }" } });
    await until("it has begun", async () => this.of(`${id} begun`).at(-1)?.type === "complete");
  }

  of(id: string): readonly Message[] {
    return this.messages.filter((message) => message.id === id);
  }
}

describe("connections to one replica, after a change on another", { skip }, () => {
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  let a: ProductionServer;
  let b: ProductionServer;
  before(async () => {
    group = await ReplicaGroup.start(services);
    [a, b] = [group.server(0), group.server(1)];
  });
  after(async () => {
    await group?.stop();
    await services.stop();
  });

  /** Returns the milliseconds until it settles. Rejects after a minute, in which every connection is checked. */
  const timed = async (what: string, ended: Promise<unknown>): Promise<number> => {
    const since = performance.now();
    const late = sleep(60_000, "late", { ref: false });
    assert.notEqual(await Promise.race([ended.then(() => "ended"), late]), "late", what);
    return performance.now() - since;
  };

  test("a revoked permission ends the subscription but not the socket; the end of the session closes the socket", async (t) => {
    const account = await services.accounts.create();
    const role = [`user:${account.id}`, "assignee", "role:easy"];
    await appserver(["authz", "grant", ...role], services.environment);
    const client = await UserSocket.open(b.httpUrl, await services.accounts.logInForToken(account));
    await client.begin("states", "subscription { appStateChanged { name } }");
    assert.deepEqual(client.of("states"), []);
    await appserver(["authz", "revoke", ...role], services.environment);
    const ended = until("it ends", async () => client.of("states").at(-1)?.type === "complete");
    t.diagnostic(`the subscription ended ${Math.round(await timed("subscription", ended))} ms after the command`);
    assert.equal(client.of("states")[0]?.payload?.errors?.[0]?.extensions.code, "PERMISSION_DENIED");
    await client.begin("still", "{ __typename }");
    await services.accounts.endSessions(account);
    client.send({ id: "late", type: "subscribe", payload: { query: "{ __typename }" } });
    assert.equal((await client.closed)[0], 4401);
    assert.deepEqual(
      client.of("late").filter(({ type }) => type === "next"),
      [],
    );
  });

  test("an uninstalled app's stream ends", async (t) => {
    const name = "test.streaming";
    const web_app = { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } };
    const hooks = [{ hook_name: `${name}.tick` }];
    const app = await testApp({ name, web_app, hooks });
    await group.register(a, app);
    await group.client(a).marketplace.installApp({ name });
    const { privateKey } = app.keys;
    const own = createPlatformClient({ grpcUrl: b.grpcUrl, app: { name, privateKey }, timeoutMs: 300_000 });
    await until("B has the app", async () => (await own.hooks.getPushSecret({})).secret !== "");
    const open = async function* () {
      yield { message: { case: "start" as const, value: { hookNames: [], maxInFlight: 1 } } };
      await sleep(120_000, undefined, { ref: false });
    };
    const stream = own.hooks.subscribe(open())[Symbol.asyncIterator]();
    const ended = stream.next().then(
      () => undefined,
      (error: unknown) => ConnectError.from(error).code,
    );
    assert.equal(await Promise.race([ended, sleep(1_000, "open")]), "open");
    await group.client(a).marketplace.uninstallApp({ name });
    const ms = await timed("stream", ended);
    t.diagnostic(`the stream ended ${Math.round(ms)} ms after the acknowledgement`);
    assert.equal(await ended, Code.Unauthenticated);
    assert.ok(ms < withinMs, `${ms} ms`);
  });
});
