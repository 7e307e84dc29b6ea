import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";

interface Changed {
  readonly appStateChanged: { readonly name: string; readonly state: string; readonly version: string };
}

const query = `subscription ($filter: AppStateFilter) { appStateChanged(filter: $filter) { name state version } }`;
const variables = { filter: { appNames: ["com.example.clock"] } };
const wholeWay = ["UNINSTALLING", "UNINSTALLED", "INSTALLING", "INSTALLED", "RUNNING"];

describe("appStateChanged", () => {
  let platform: PlatformUnderTest;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const socketUrl = () => `${platform.httpUrl.replace("http", "ws")}/graphql`;
  const mutate = async (name: string) => {
    const { errors } = await platform.graphql(`mutation { ${name}(name: "com.example.clock") { success } }`);
    assert.equal(errors, undefined);
  };
  const uninstallAndInstall = async () => {
    await mutate("uninstallApp");
    await mutate("installApp");
  };

  test("graphql-transport-ws: every state of the filtered app, in order", async () => {
    const client = createClient({
      url: socketUrl(),
      webSocketImpl: WebSocket,
      lazy: false,
      connectionParams: platform.administrator,
    });
    const seen: string[] = [];
    const finished = new Promise<void>((resolve, reject) => {
      const unsubscribe = client.subscribe<Changed>(
        { query, variables },
        {
          next: ({ data }) => {
            assert.equal(data?.appStateChanged.name, "com.example.clock");
            seen.push(data?.appStateChanged.state ?? "");
            if (seen.length === wholeWay.length) unsubscribe();
          },
          error: reject,
          complete: resolve,
        },
      );
    });
    await heard(client.subscribe.bind(client));
    await uninstallAndInstall();
    await finished;
    await client.dispose();
    assert.deepEqual(seen, wholeWay);
  });

  /** Operations of one connection start in order: the response to a later one shows that the earlier has started. */
  const heard = (subscribe: ReturnType<typeof createClient>["subscribe"]) =>
    new Promise<void>((resolve, reject) => {
      subscribe({ query: "{ health { status } }" }, { next: () => {}, error: reject, complete: resolve });
    });

  test("the older subprotocol graphql-ws, and the filter by state", async () => {
    const socket = new WebSocket(socketUrl(), "graphql-ws");
    await once(socket, "open");
    assert.equal(socket.protocol, "graphql-ws");
    const messages: { type: string; id?: string; payload?: { data?: Changed } }[] = [];
    const waiting = new Set<() => void>();
    socket.on("message", (data) => {
      messages.push(JSON.parse(data.toString()));
      for (const look of waiting) look();
    });
    const until = (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    const send = (message: object) => socket.send(JSON.stringify(message));
    send({ type: "connection_init", payload: platform.administrator });
    await until(() => messages.some(({ type }) => type === "connection_ack"));
    const filter = { appNames: ["com.example.clock"], states: ["UNINSTALLED", "RUNNING"] };
    send({ id: "1", type: "start", payload: { query, variables: { filter } } });
    send({ id: "2", type: "start", payload: { query: "{ health { status } }" } });
    await until(() => messages.some(({ type, id }) => type === "complete" && id === "2"));
    await uninstallAndInstall();
    const states = () =>
      messages.flatMap(({ id, payload }) => (id === "1" && payload?.data ? [payload.data.appStateChanged.state] : []));
    await until(() => states().length === 2);
    send({ id: "1", type: "stop" });
    socket.close();
    await once(socket, "close");
    assert.deepEqual(states(), ["UNINSTALLED", "RUNNING"]);
  });
});
