import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, jsonOf, type PlatformUnderTest, send, startPlatform, testApp, uniqueName } from "@appserver/testing/kit";
import { command } from "./commands.ts";
import { type OpenEventStream, openEventStream, readEvents, type ShownEvent } from "./event-stream.ts";

interface Page {
  readonly items: readonly ShownEvent[];
  readonly nextCursor: string | null;
  readonly totalCount: number;
}

const app = uniqueName("com.example.switched");

describe("system events", () => {
  let platform: PlatformUnderTest;
  before(async () => {
    platform = await startPlatform();
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    await platform.register(await testApp({ name: app, web_app: { api } }));
    await command(platform, `installApp(name: "${app}") { success }`);
  });
  after(() => platform?.stop());

  const pageOf = async (query: string): Promise<Page> =>
    jsonOf(await send(platform.httpUrl, `/api/v2/events?${query}`, { headers: platform.administrator })) as Page;
  const enable = (enabled: boolean) => command(platform, `setAppEnabled(name: "${app}", enabled: ${enabled}) { success }`);
  const stream = (headers?: Readonly<Record<string, string>>) => openEventStream(platform, app, headers);
  const isSwitch = ({ message }: ShownEvent): boolean => / was (en|dis)abled$/.test(message);
  const switchesOf = (live: OpenEventStream, count: number) => readEvents(live, isSwitch, ({ length }) => length >= count);

  test("are listed newest first, by app and type, over GraphQL and REST", async () => {
    await enable(false);
    await enable(true);
    const switches = async () => (await pageOf(`app=${app}`)).items.filter(isSwitch);
    await eventually(async () => assert.equal((await switches()).length, 2));
    const [enabled, disabled] = (await switches()) as [ShownEvent, ShownEvent];
    assert.deepEqual([enabled.message, disabled.message], [`${app} was enabled`, `${app} was disabled`]);
    const pages: ShownEvent[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Page = await pageOf(`app=${app}&first=3${cursor === "" ? "" : `&after=${encodeURIComponent(cursor)}`}`);
      pages.push(...page.items);
      cursor = page.nextCursor;
    }
    assert.deepEqual([pages.at(-1)?.type, new Set(pages.map(({ id }) => id)).size], ["APP_REGISTERED", pages.length]);
    const installed = await pageOf(`app=${app}&type=APP_INSTALLED`);
    assert.deepEqual(
      installed.items.map(({ type }) => type),
      ["APP_INSTALLED"],
    );
    const one = await send(platform.httpUrl, `/api/v2/events/${enabled.id}`, { headers: platform.administrator });
    assert.equal((jsonOf(one) as ShownEvent).message, enabled.message);
    const found = await platform.graphql(
      `{ systemEvents(types: [APP_REGISTERED], appName: "${app}") { edges { node { id } } } systemEventById(id: "${enabled.id}") { message } }`,
    );
    assert.deepEqual(found.data, {
      systemEvents: { edges: [{ node: { id: pages.at(-1)?.id } }] },
      systemEventById: { message: enabled.message },
    });
  });

  test("are streamed, and a client that connects again gets what it missed", async () => {
    const live = await stream();
    const received = switchesOf(live, 2);
    await enable(false);
    await enable(true);
    const [disabled, enabled] = (await received) as [ShownEvent, ShownEvent];
    live.close();
    assert.deepEqual([disabled.message, enabled.message], [`${app} was disabled`, `${app} was enabled`]);
    await enable(false);
    const again = await stream({ "last-event-id": enabled.id });
    const [missed] = (await switchesOf(again, 1)) as [ShownEvent];
    again.close();
    assert.equal(missed.message, `${app} was disabled`);
    await enable(true);
  });

  test("are for callers with event:view", async () => {
    const headers = { cookie: await platform.login("bob"), accept: "text/event-stream" };
    assert.equal((await send(platform.httpUrl, "/api/v2/events", { headers })).status, 403);
  });
});
