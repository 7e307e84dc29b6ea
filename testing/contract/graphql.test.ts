import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type GraphqlAnswer,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
} from "@appserver/testing/kit";
import { dataOf } from "./commands.ts";
import { developmentTest, productionTest } from "./variants.ts";

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly name: string; readonly state: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly endCursor: string | null };
  readonly totalCount: number;
}

const pageFields = "edges { cursor node { name state } } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount";
/** In addition to the two sample apps, one app that is registered and never installed. */
const spare = uniqueName("com.example.spare");
const own = ["com.example.clock", "com.example.notes", spare];

describe("GraphQL operations on apps", () => {
  let platform: PlatformUnderTest;

  before(async () => {
    platform = await startPlatform();
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9", timeout_ms: 1000 };
    await platform.register(await testApp({ name: spare, web_app: { api } }));
  });
  after(() => platform.stop());

  const data = (query: string, variables: object = {}): Promise<unknown> => dataOf(platform, query, variables);
  const page = async (parameters: object): Promise<Page> => {
    const query = `query ($filter: AppFilter, $first: Int, $after: String) { apps(filter: $filter, first: $first, after: $after) { ${pageFields} } }`;
    return ((await data(query, parameters)) as { apps: Page }).apps;
  };
  const names = ({ edges }: Page) => edges.map(({ node }) => node.name);
  const codes = async (query: string, variables: object = {}) =>
    (await platform.graphql(query, variables)).errors?.map(({ extensions }) => extensions.code);
  test("apps are ordered by name, in pages without gap or overlap", async () => {
    const filter = { names: own };
    const all = await page({ filter });
    assert.deepEqual(names(all), own);
    assert.deepEqual([all.totalCount, all.pageInfo.hasNextPage, all.pageInfo.hasPreviousPage], [3, false, false]);
    const first = await page({ filter, first: 2 });
    assert.deepEqual(names(first), names(all).slice(0, 2));
    assert.deepEqual([first.totalCount, first.pageInfo.hasNextPage], [3, true]);
    assert.equal(first.pageInfo.endCursor, first.edges.at(-1)?.cursor);
    const second = await page({ filter, first: 2, after: first.pageInfo.endCursor });
    assert.deepEqual(names(second), names(all).slice(2));
    assert.deepEqual([second.pageInfo.hasNextPage, second.pageInfo.hasPreviousPage], [false, true]);
    const beyond = await page({ filter, after: second.pageInfo.endCursor });
    assert.deepEqual([beyond.edges, beyond.pageInfo.hasNextPage], [[], false]);
  });

  test("apps are in another order, and are found by what they wait for", async () => {
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    const required_permissions = [
      { scope: "audit:view", resource_type: "platform", reason: "Shows who did what.", requires_approval: true },
    ];
    const ordered = ["b", "c", "a"].map((letter) => uniqueName(`com.example.order-${letter}`));
    for (const name of ordered)
      await platform.register(
        await testApp({ name, web_app: { api }, ...(name === ordered[1] ? { required_permissions } : {}) }),
      );
    const query = `query ($filter: AppFilter, $order: AppOrder, $descending: Boolean, $first: Int, $after: String) {
      apps(filter: $filter, order: $order, descending: $descending, first: $first, after: $after) { ${pageFields} } }`;
    const filter = { names: ordered };
    const list = async (parameters: object) =>
      ((await data(query, { filter, order: "NAME", ...parameters })) as { apps: Page }).apps;
    const newest = { order: "UPDATED", descending: true, first: 2 };
    const first = await list(newest);
    const after = first.pageInfo.endCursor;
    assert.deepEqual([...names(first), ...names(await list({ ...newest, after }))], ordered.toReversed());
    assert.deepEqual(names(await list({ descending: true })), ordered.toSorted().toReversed());
    assert.deepEqual(names(await list({ filter: { ...filter, needs: ["APPROVAL", "CERTIFICATE"] } })), [ordered[1]]);
    assert.deepEqual(await codes(query, { filter, order: "NAME", after }), ["VALIDATION_ERROR"], "a cursor of another order");
  });

  test("installPlan returns the plan of the registered version; another version is NOT_FOUND", async () => {
    const plan = "query ($name: String!, $version: String) { installPlan(name: $name, version: $version) { app { version } } }";
    for (const version of [null, "1.0.0"])
      assert.deepEqual(await data(plan, { name: spare, version }), { installPlan: { app: { version: "1.0.0" } } });
    assert.deepEqual(await codes(plan, { name: spare, version: "9.9.9" }), ["NOT_FOUND"]);
    assert.deepEqual(await codes(plan, { name: spare, version: "" }), ["NOT_FOUND"]);
  });

  test("filters: names under both spellings, text, and INSTALLED for every app that should be installed", async () => {
    assert.deepEqual(names(await page({ filter: { names: [spare] } })), [spare]);
    assert.deepEqual(names(await page({ filter: { appNames: [spare, "com.example.none"] } })), [spare]);
    assert.deepEqual(names(await page({ filter: { names: own, search: "NOTE" } })), ["com.example.notes"]);
    assert.deepEqual(names(await page({ filter: { names: own, states: ["REGISTERED"] } })), [spare]);
    assert.deepEqual(names(await page({ filter: { names: own, state: "UNINSTALLED" } })), []);
    const installed = await page({ filter: { names: own, states: ["INSTALLED"] } });
    assert.deepEqual(
      installed.edges.map(({ node }) => node),
      ["com.example.clock", "com.example.notes"].map((name) => ({ name, state: "RUNNING" })),
    );
  });

  test("app has its fields under both names of its id; a missing app is null without an error", async () => {
    const { app } = (await data(`{ app(name: "com.example.notes") {
      id appId name displayName version availableVersion state enabled health installedAt manifestDigest certificateFingerprint
      api { basePath publicUrl routes { pattern methods scopes isPublic timeoutMs rateLimit { limit windowSeconds } } }
      ui { mode routeBase exposedModule entryAsset { name } }
    } }`)) as { app: Record<string, unknown> };
    assert.match(String(app["id"]), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(app["appId"], app["id"]);
    assert.match(String(app["installedAt"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    for (const field of ["manifestDigest", "certificateFingerprint"]) assert.match(String(app[field]), /^[0-9a-f]{64}$/);
    assert.partialDeepStrictEqual(app, {
      displayName: "Notes",
      version: "1.0.0",
      availableVersion: null,
      state: "RUNNING",
      enabled: true,
      health: "HEALTHY",
      api: { basePath: "/api/apps/com.example.notes" },
      ui: { mode: "FEDERATION", routeBase: "/notes", exposedModule: "./Notes", entryAsset: { name: "remoteEntry.js" } },
    });
    const { routes } = app["api"] as { routes: { pattern: string }[] };
    assert.deepEqual(
      routes.find(({ pattern }) => pattern === "/limited"),
      {
        pattern: "/limited",
        methods: ["GET"],
        scopes: [],
        isPublic: true,
        timeoutMs: 10_000,
        rateLimit: { limit: 5, windowSeconds: 60 },
      },
    );
    assert.deepEqual(await data('{ app(name: "com.example.none") { name } }'), { app: null });
  });

  /** Returns the codes of the errors that the user of this name receives. */
  const codesAs = async (user: "bob", query: string) => {
    const headers = { "content-type": "application/json", cookie: await platform.login(user), origin: platform.httpUrl };
    const answer = await send(platform.httpUrl, "/graphql", { method: "POST", headers, body: JSON.stringify({ query }) });
    return (jsonOf(answer) as GraphqlAnswer).errors?.map(({ extensions }) => extensions.code);
  };

  developmentTest("development allows introspection by tools", async () => {
    const { __schema } = (await data("{ __schema { subscriptionType { fields { name } } } }")) as {
      __schema: { subscriptionType: { fields: { name: string }[] } };
    };
    assert.ok(__schema.subscriptionType.fields.some(({ name }) => name === "appStateChanged"));
  });

  productionTest("production allows introspection to administrators, and not to callers without credentials", async () => {
    const schema = "{ __schema { subscriptionType { name } } }";
    assert.deepEqual(await codesAs("bob", schema), ["PERMISSION_DENIED"]);
    assert.deepEqual(await data(schema), { __schema: { subscriptionType: { name: "Subscription" } } });
    const body = JSON.stringify({ query: "{ apps { totalCount } }" });
    const answer = await send(platform.httpUrl, "/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const { data: nothing, errors } = jsonOf(answer) as GraphqlAnswer;
    assert.deepEqual([nothing ?? null, errors?.map(({ extensions }) => extensions.code)], [null, ["AUTHENTICATION_REQUIRED"]]);
  });
});
