import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type EchoUpstream,
  EventLoopGuard,
  echoUpstream,
  type PlatformUnderTest,
  RunningPlatform,
  testApp,
  untilStatus,
} from "@appserver/testing/kit";

const name = "com.example.worst";

/** Letters in irregular order, so that an automaton needs a new state for each. */
function irregular(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 2 === 0 ? "a" : "b";
  }).join("");
}

/** Applies itself twice to each level of the input. No level is valid. */
const recursive = JSON.stringify({
  $defs: {
    a: {
      anyOf: [
        { properties: { n: { $ref: "#/$defs/a" } }, required: ["n"] },
        { required: ["n"], properties: { n: { $ref: "#/$defs/a" } } },
      ],
    },
  },
  $ref: "#/$defs/a",
});

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const nestedObjects = (depth: number): string => `${'{"n":'.repeat(depth)}{}${"}".repeat(depth)}`;

/** The most expensive expressions that a manifest may have, together at the size limit. */
const routes = [
  ...Array.from({ length: 8 }, (_, index) => ({
    pattern: `regex:/${index}?.*a.{60}x${index}`,
    methods: ["GET"],
    is_public: true,
  })),
  { pattern: "/plain", methods: ["GET"], is_public: true },
];
const definitions = Array.from({ length: 20 }, (_, index) => ({
  key: `text${index}`,
  data_type: "SETTING_DATA_TYPE_STRING",
  validation: { pattern: "x.*a.{8}y" },
}));

describe("the event loop while requests are handled", () => {
  let platform: PlatformUnderTest;
  let guard: EventLoopGuard;
  let upstream: EchoUpstream;
  let appId = "";

  before(async () => {
    guard = await EventLoopGuard.create();
    upstream = await echoUpstream();
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: guard.environment });
    const app = await testApp({
      name,
      web_app: { api: { base_path: "/", upstream_base_url: upstream.url, routes } },
      settings: { definitions: [...definitions, { key: "json", data_type: "SETTING_DATA_TYPE_JSON" }] },
      activities: [{ name: "work", input_schema: recursive }],
    });
    const registered = await platform.register(app);
    appId = registered.app?.id ?? "";
    await platform.client().marketplace.installApp({ name });
    await untilStatus(platform.httpUrl, `/api/apps/${name}/plain`, 200);
  });
  after(async () => {
    await platform.stop();
    await upstream.stop();
  });

  const statusOf = async (path: string): Promise<number> => {
    const response = await fetch(`${platform.httpUrl}/api/apps/${name}${path}`);
    await response.body?.cancel();
    return response.status;
  };
  /** Sends the body as a string, because some values are nested too deeply for `JSON.stringify`. */
  const graphql = async (query: string, variables: string): Promise<number> => {
    const response = await fetch(`${platform.httpUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...platform.administrator },
      body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    });
    const text = await response.text();
    assert.ok(response.status < 500 && !text.includes("INTERNAL_ERROR"), text.slice(0, 500));
    return response.status;
  };
  const update = "mutation ($id: ID!, $settings: JSON!) { updateSettings(appID: $id, settings: $settings) { success } }";
  const setTo = (settings: string) => graphql(update, `{"id":${JSON.stringify(appId)},"settings":${settings}}`);
  const trigger = `mutation ($input: JSON) { triggerActivity(appName: "${name}", activity: "work", input: $input) { id } }`;

  for (const length of [100, 400, 1_000, 4_000, 8_000]) {
    test(`a path of ${length} characters that no expression decides early`, () =>
      guard.assertUnharmed(async () => {
        const path = `/${irregular(length)}`;
        for (const status of await Promise.all([statusOf(path), statusOf(path)])) assert.equal(status, 404);
      }));
  }

  test("values of 30,000 characters for every setting with a pattern", () =>
    guard.assertUnharmed(() =>
      setTo(JSON.stringify(Object.fromEntries(definitions.map(({ key }) => [key, `x${irregular(30_000)}y`])))),
    ));

  test("a value of 1 MB", () => guard.assertUnharmed(() => setTo(JSON.stringify({ text0: `x${irregular(1_000_000)}` }))));

  for (const depth of [60, 1_000, 20_000]) {
    test(`a value nested ${depth} deep`, () => guard.assertUnharmed(() => setTo(`{"json":${nested(depth)}}`)));
  }

  for (const depth of [12, 40, 2_000]) {
    test(`an input nested ${depth} deep for a schema that recurs twice on each level`, () =>
      guard.assertUnharmed(() => graphql(trigger, `{"input":${nestedObjects(depth)}}`)));
  }

  test("an input of 1 MB", () =>
    guard.assertUnharmed(() => graphql(trigger, JSON.stringify({ input: { n: irregular(1_000_000) } }))));
});
