import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { command } from "./commands.ts";

interface Changed {
  readonly appStateChanged: { readonly name: string; readonly state: string; readonly version: string };
}

interface Progress {
  readonly id: string;
  readonly done: boolean;
}

const query = `subscription ($filter: AppStateFilter) { appStateChanged(filter: $filter) { name state version } }`;
const variables = { filter: { appNames: ["com.example.clock"] } };
const wholeWay = ["UNINSTALLING", "UNINSTALLED", "INSTALLING", "INSTALLED", "RUNNING"];

describe("subscriptions of apps and operations", () => {
  let platform: PlatformUnderTest;

  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  const connected = () =>
    createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      connectionParams: platform.administrator,
    });

  test("every state of the filtered app, in order, or those that the filter names", async () => {
    const client = connected();
    const seen: string[] = [];
    const ofStates: string[] = [];
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
    client.subscribe<Changed>(
      { query, variables: { filter: { ...variables.filter, states: ["UNINSTALLED", "RUNNING"] } } },
      { next: ({ data }) => ofStates.push(data?.appStateChanged.state ?? ""), error: () => {}, complete: () => {} },
    );
    // Operations of one connection start in order: the response to a later one shows that the earlier has started.
    await new Promise<void>((resolve, reject) => {
      client.subscribe({ query: "{ health { status } }" }, { next: () => {}, error: reject, complete: resolve });
    });
    for (const mutation of ["uninstallApp", "installApp"])
      await command(platform, `${mutation}(name: "com.example.clock") { success }`);
    await finished;
    await eventually(async () => assert.deepEqual(ofStates, ["UNINSTALLED", "RUNNING"]));
    await client.dispose();
    assert.deepEqual(seen, wholeWay);
  });

  test("operationProgress follows the operation of a command to its end, and ends with it", async () => {
    await command(platform, 'uninstallApp(name: "com.example.clock") { success }');
    const install = 'installApp(name: "com.example.clock") { operation { id } }';
    const { operation } = (await command<Record<"installApp", { operation: { readonly id: string } }>>(platform, install))
      .installApp;
    const client = connected();
    const seen: Progress[] = [];
    const query = "subscription ($id: ID!) { operationProgress(id: $id) { id kind appName stage progress done } }";
    for await (const { data } of client.iterate<{ operationProgress: Progress }>({ query, variables: { id: operation.id } }))
      if (data) seen.push(data.operationProgress);
    await client.dispose();
    assert.deepEqual(new Set(seen.map(({ id }) => id)), new Set([operation.id]));
    const last = { id: operation.id, kind: "install", appName: "com.example.clock", stage: "done", progress: 1, done: true };
    assert.deepEqual(seen.at(-1), last);
    assert.deepEqual(seen.filter(({ done }) => done).length, 1);
  });
});
