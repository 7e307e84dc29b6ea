import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type GraphqlAnswer,
  type HttpRequest,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
  untilState,
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
  const post = (body: string, headers: HttpRequest["headers"] = {}) =>
    send(platform.httpUrl, "/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...platform.administrator, ...headers },
      body,
    });

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

  test("installPlan returns the plan of the registered version; another version is NOT_FOUND", async () => {
    const plan = "query ($name: String!, $version: String) { installPlan(name: $name, version: $version) { app { version } } }";
    for (const version of [null, "1.0.0"])
      assert.deepEqual(await data(plan, { name: spare, version }), { installPlan: { app: { version: "1.0.0" } } });
    assert.deepEqual(await codes(plan, { name: spare, version: "9.9.9" }), ["NOT_FOUND"]);
    assert.deepEqual(await codes(plan, { name: spare, version: "" }), ["NOT_FOUND"]);
  });

  productionTest("an administrator may introspect; a user without permissions may not", async () => {
    const query = "{ __schema { queryType { name } } }";
    assert.deepEqual(await data(query), { __schema: { queryType: { name: "Query" } } });
    const answer = await send(platform.httpUrl, "/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", cookie: await platform.login("bob") },
      body: JSON.stringify({ query }),
    });
    assert.match(answer.text, /PERMISSION_DENIED/);
  });

  test("first is 1 to 250, and an invented cursor is refused", async () => {
    const query =
      "query ($filter: AppFilter, $first: Int, $after: String) { apps(filter: $filter, first: $first, after: $after) { totalCount } }";
    const filter = { names: own };
    for (const first of [1, 250]) assert.deepEqual(await data(query, { filter, first }), { apps: { totalCount: 3 } });
    for (const parameters of [{ first: 0 }, { first: 251 }, { first: -1 }, { after: "nonsense" }]) {
      assert.deepEqual(await codes(query, parameters), ["VALIDATION_ERROR"], JSON.stringify(parameters));
    }
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

  test("asset: integrity is the hash in base64, the entity tag equals the one over HTTP; a missing asset is null", async () => {
    const { asset } = (await data(
      '{ asset(appName: "com.example.clock", assetName: "clock.js") { appName name mimeType size sha256 integrity etag url } }',
    )) as { asset: Record<"sha256" | "integrity" | "url" | "etag" | "mimeType", string> & { size: number } };
    assert.equal(asset.integrity, `sha256-${Buffer.from(asset.sha256, "hex").toString("base64")}`);
    const served = await send(platform.httpUrl, asset.url);
    assert.deepEqual(
      [served.status, served.bytes.length, served.headers["content-type"], served.headers.etag],
      [200, asset.size, asset.mimeType, asset.etag],
    );
    assert.deepEqual(await data('{ asset(appName: "com.example.clock", assetName: "none.js") { url } }'), { asset: null });
    assert.deepEqual(await data('{ asset(appName: "com.example.none", assetName: "clock.js") { url } }'), { asset: null });
  });

  test("uninstallApp and installApp change the state and return the app", async () => {
    const mutate = (operation: string) =>
      data(`mutation { ${operation}(name: "com.example.clock") { success id app { id name state } error { code } } }`);
    const down = ((await mutate("uninstallApp")) as { uninstallApp: Record<string, unknown> }).uninstallApp;
    assert.partialDeepStrictEqual(down, {
      success: true,
      error: null,
      app: { name: "com.example.clock", state: "UNINSTALLED" },
    });
    assert.equal(down["id"], (down["app"] as { id: string }).id);
    const up = ((await mutate("installApp")) as { installApp: Record<string, unknown> }).installApp;
    assert.partialDeepStrictEqual(up, { success: true, id: down["id"], app: { state: "INSTALLED" } });
    await untilState(platform, "com.example.clock", "RUNNING");
  });

  test("a mutation on a missing app is NOT_FOUND in the `errors` of the response, and returns no payload", async () => {
    for (const mutation of ["installApp", "uninstallApp"]) {
      const result = await platform.graphql(`mutation { ${mutation}(name: "com.example.none") { success } }`);
      assert.equal(result.data, null);
      const [error, ...others] = result.errors ?? [];
      assert.deepEqual(others, []);
      assert.deepEqual([error?.path, error?.extensions.code], [[mutation], "NOT_FOUND"]);
      assert.match(error?.message ?? "", /com\.example\.none/);
    }
  });

  test("an invalid query is VALIDATION_ERROR and is not executed", async () => {
    const wrong = [
      ["{ apps(", {}],
      ["{ nothing }", {}],
      ["{ app { name } }", {}],
      ["query ($n: String!) { app(name: $n) { name } }", {}],
      ["query ($n: String!) { app(name: $n) { name } }", { n: 7 }],
    ] as const;
    for (const [query, variables] of wrong) {
      const result = await platform.graphql(query, variables);
      assert.equal(result.data ?? null, null, query);
      assert.ok((result.errors ?? []).length > 0, query);
      for (const { extensions } of result.errors ?? []) assert.equal(extensions.code, "VALIDATION_ERROR", query);
    }
  });

  test("status and media type follow the Accept header", async () => {
    const wrong = JSON.stringify({ query: "{ nothing }" });
    const older = await post(wrong, { accept: "application/json" });
    assert.deepEqual([older.status, older.headers["content-type"]], [200, "application/json; charset=utf-8"]);
    const type = "application/graphql-response+json";
    const newer = await post(wrong, { accept: type });
    assert.deepEqual([newer.status, newer.headers["content-type"]], [400, `${type}; charset=utf-8`]);
    const right = await post(JSON.stringify({ query: "{ health { status } }" }), { accept: `${type}, application/json;q=0.9` });
    assert.deepEqual([right.status, right.headers["content-type"]], [200, `${type}; charset=utf-8`]);
    assert.equal((await post(wrong, { accept: "text/html" })).status, 406);
  });

  test("POST accepts only JSON with one operation per request; GET refuses mutations", async () => {
    const query = "{ health { status } }";
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      assert.equal((await post(JSON.stringify({ query }), { "content-type": type })).status, 415, type);
    }
    assert.equal((await post(JSON.stringify([{ query }, { query }]))).status, 400);
    assert.equal((await post("{")).status, 400);
    const headers = platform.administrator;
    const get = await send(platform.httpUrl, `/graphql?query=${encodeURIComponent(query)}`, { headers });
    assert.deepEqual(jsonOf(get), { data: { health: { status: "ready" } } });
    const mutation = 'mutation { uninstallApp(name: "com.example.notes") { success } }';
    const refused = await send(platform.httpUrl, `/graphql?query=${encodeURIComponent(mutation)}`, { headers });
    assert.deepEqual([refused.status, refused.headers.allow], [405, "POST"]);
    await untilState(platform, "com.example.notes", "RUNNING", 0);
  });

  test("an operation may cost at most 1000", async () => {
    // One for apps, and four for each entry: edges, node and its two fields.
    const costing = (first: number) => `{ apps(first: ${first}) { edges { node { name state } } } }`;
    assert.equal((await platform.graphql(costing(249))).errors, undefined);
    const { errors } = await platform.graphql(costing(250));
    assert.partialDeepStrictEqual(errors, [{ extensions: { code: "VALIDATION_ERROR", limit: 1000, actual: 1001 } }]);
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

  productionTest("a user without permission is refused and changes nothing", async () => {
    const uninstall = 'mutation { uninstallApp(name: "com.example.notes") { success } }';
    assert.deepEqual(await codesAs("bob", uninstall), ["PERMISSION_DENIED"]);
    await untilState(platform, "com.example.notes", "RUNNING", 0);
  });
});
