import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { command } from "./commands.ts";

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

  test("every state of the filtered app, in order, or those that the filter names", async () => {
    const client = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      connectionParams: platform.administrator,
    });
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
});
