import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { getIntrospectionQuery } from "graphql";
import { serverAudits } from "graphql-http";
import type { HttpListener } from "../http/index.ts";
import { type Body, fanout, graphqlUrl, logged, postQuery, startedGraphql } from "../test/graphql-under-test.ts";

describe("GraphQL over HTTP", () => {
  let listener: HttpListener;
  let url: string;
  before(async () => {
    await fanout.start();
    listener = await startedGraphql();
    url = graphqlUrl(listener);
  });
  after(() => listener.stop());

  const post = (
    query: string,
    more: object = {},
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Body }> => postQuery(url, query, more, headers);
  const strict = { accept: "application/graphql-response+json" };

  test("a query has the same result interpreted and compiled", async () => {
    const query = 'query App($name: String!) { app(name: $name) { name registeredAt } other: app(name: "missing") { name } }';
    for (let run = 1; run <= 4; run += 1) {
      const { body } = await post(query, { variables: { name: `a${run}` } });
      assert.deepEqual(body, { data: { app: { name: `a${run}`, registeredAt: "1970-01-01T00:00:00.000Z" }, other: null } });
    }
    for (let run = 1; run <= 4; run += 1) {
      const { body } = await post('{ app(name: "crash") { name } health { status } }');
      assert.deepEqual([body.data?.["app"], body.data?.["health"]], [null, { status: "ready" }]);
      assert.deepEqual(
        body.errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
        [{ message: "internal error", path: ["app"], extensions: { code: "INTERNAL_ERROR" } }],
      );
    }
    for (let run = 1; run <= 4; run += 1) {
      const coercion = await post("query Coerce($n: String!) { app(name: $n) { name } }", { variables: { n: null } }, strict);
      assert.deepEqual([coercion.status, coercion.body.errors?.[0]?.extensions["code"]], [400, "VALIDATION_ERROR"]);
    }
  });

  test("an unexpected error is logged in full", async () => {
    logged.length = 0;
    await post('{ app(name: "crash") { id } }');
    assert.match(String((logged[0] as { err?: Error }).err?.message), /secret cause/);
  });

  test("an error of a use case keeps its code and context", async () => {
    const { status, body } = await post('mutation { uninstallApp(name: "x") { success } }');
    assert.equal(status, 200);
    assert.equal(body.data, null);
    const [error] = body.errors ?? [];
    assert.deepEqual([error?.message, error?.path], ["no such app", ["uninstallApp"]]);
    assert.deepEqual(error?.extensions, { app: "x", code: "NOT_FOUND" });
  });

  test("with the newer media type the status shows errors", async () => {
    assert.equal((await post("{ viewer { subject } }", {}, strict)).status, 403);
    assert.equal((await post("{ viewer { subject } }", {}, { ...strict, authorization: "bad" })).status, 401);
    assert.equal((await post("{ viewer { subject } }", {}, { authorization: "bad" })).status, 200);
    const alice = await post("{ viewer { subject } }", {}, { ...strict, authorization: "alice" });
    assert.deepEqual([alice.status, alice.body.data], [200, { viewer: { subject: "user:alice" } }]);
  });

  test("health is the same as /ready", async () => {
    const { body } = await post("{ health { status version uptimeSeconds checks { name status } } }");
    const health = body.data?.["health"] as Record<string, unknown>;
    assert.deepEqual([health["status"], health["version"]], ["ready", "0.1.0"]);
    assert.deepEqual(health["checks"], [{ name: "database", status: "up" }]);
  });

  test("forms, other methods, arrays, GET mutations and huge bodies are refused", async () => {
    const form = await fetch(url, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: '{"query":"{ health { status } }"}',
    });
    assert.equal(form.status, 415);
    const put = await fetch(url, { method: "PUT" });
    assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, POST"]);
    const mutation = await fetch(`${url}?query=${encodeURIComponent('mutation { installApp(name: "a") { success } }')}`);
    assert.deepEqual([mutation.status, mutation.headers.get("allow")], [405, "POST"]);
    const batch = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "[]" });
    assert.equal(batch.status, 400);
    const huge = await post(`{ health { status } } # ${"x".repeat(1_100_000)}`);
    assert.deepEqual([huge.status, huge.body.errors?.[0]?.extensions["code"]], [413, "VALIDATION_ERROR"]);
    const subscription = await post("subscription { appStateChanged { name } }", {}, strict);
    assert.equal(subscription.status, 400);
  });

  test("cost 1000 passes, 1001 does not, by literal and by variable", async () => {
    // apps 1 + first × (edges 1 + node 1 + name 1 = 3) = 1 + 333 × 3 = 1000
    const costly = (first: number): string => `{ apps(first: ${first}) { edges { node { name } } } }`;
    const codes = async (query: string, more?: object): Promise<unknown> =>
      (await post(query, more)).body.errors?.[0]?.extensions["code"];
    assert.equal(await codes(costly(333)), "SERVICE_UNAVAILABLE");
    const over = await post("{ apps(first: 250) { edges { node { name state } } } }");
    assert.partialDeepStrictEqual(over.body.errors?.[0]?.extensions, { code: "VALIDATION_ERROR", limit: 1000, actual: 1001 });
    const query = "query Apps($first: Int = 10) { apps(first: $first) { edges { node { name } } } }";
    assert.equal(await codes(query), "SERVICE_UNAVAILABLE");
    assert.equal(await codes(query, { variables: { first: 334 } }), "VALIDATION_ERROR");
    assert.equal(
      await codes("{ apps { edges { node { history { to reason } } } } }"),
      "VALIDATION_ERROR",
      "50 × 20 by default",
    );
  });

  /** Returns the minimum of five runs. */
  async function processorMs(query: string): Promise<number> {
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const before = process.threadCpuUsage();
      await post(query);
      const { user, system } = process.threadCpuUsage(before);
      times.push((user + system) / 1_000);
    }
    return Math.min(...times);
  }

  test("depth, aliases, fragment cycles and doubling fragments are refused quickly", async () => {
    const deep = (levels: number): string =>
      `{ viewer { navigation ${"{ children ".repeat(levels)} { title } ${"}".repeat(levels)} } }`;
    const aliases = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: health { status }`).join(" ")} }`;
    const doubling = Array.from(
      { length: 60 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );
    const attacks = [
      deep(13),
      aliases(101),
      aliases(10_000),
      `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
      `{ ...F0 } ${doubling.join(" ")} fragment F60 on Query { health { status } }`,
      `{ health { ${"status ".repeat(4000)} } }`,
      `{ ${"health { status } ".repeat(50_000)} }`,
    ];
    for (const attack of attacks) {
      const { body } = await post(attack);
      assert.equal(body.errors?.[0]?.extensions["code"], "VALIDATION_ERROR", attack.slice(0, 60));
      // Measures processor time, because the machine may be busy. Both sides of the connection are in this process.
      const [spent, control] = [await processorMs(attack), await processorMs(`{ nothing } # ${"x".repeat(attack.length)}`)];
      assert.ok(spent - control < 10, `took ${spent} ms, and ${control} ms if simple: ${attack.slice(0, 60)}`);
    }
    assert.equal((await post(deep(12))).body.errors?.[0]?.extensions["code"], "PERMISSION_DENIED");
    assert.equal((await post(aliases(100))).body.errors, undefined);
  });

  test("a page of another site cannot change anything, with or without cookies", async () => {
    for (const page of [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }]) {
      const { status } = await post('mutation { installApp(name: "a") { success } }', {}, page as Record<string, string>);
      assert.equal(status, 403, JSON.stringify(page));
    }
    const own = await post('mutation { installApp(name: "a") { success } }', {}, { origin: new URL(url).origin });
    assert.equal(own.body.errors, undefined);
  });

  test("errors suggest no names of a hidden schema", async () => {
    const misspelt = [
      "{ healt { status } }",
      "{ health { statuz } }",
      '{ app(nam: "a") { name } }',
      "query ($f: AppFiltr) { apps(filter: $f) { totalCount } }",
      '{ apps(filter: { serch: "a" }) { totalCount } }',
      "{ apps(filter: { state: RUNNIN }) { totalCount } }",
    ];
    for (const query of misspelt) {
      const { body } = await post(query);
      assert.equal(body.errors?.[0]?.extensions["code"], "VALIDATION_ERROR", query);
      assert.doesNotMatch(JSON.stringify(body), /Did you mean|health|state|RUNNING|"name"|search|AppFilter"/, query);
    }
    const query = 'query ($filter: AppFilter) { app(name: "a") { name } apps(filter: $filter) { totalCount } }';
    for (let run = 1; run <= 5; run += 1) {
      for (const filter of [{ serch: "a" }, { state: "RUNNIN" }]) {
        assert.doesNotMatch(JSON.stringify((await post(query, { variables: { filter } })).body), /Did you mean|search|RUNNING/);
      }
    }
  });

  test("a value that cannot be stored or parsed is refused with VALIDATION_ERROR", async () => {
    const nested = (levels: number): string => `{ app(name: ${"[".repeat(levels)}${"]".repeat(levels)}) { name } }`;
    const deep = (levels: number): object => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    const query = 'query ($data: JSON, $name: String = "a") { app(name: $name) { name } }';
    const cases: readonly (readonly [string, object?])[] = [
      [nested(101)],
      [nested(2_000)],
      [`{ health { status } } ${"{".repeat(500_000)}`],
      ['{ app(name: "a\\u0000b") { name } }'],
      ['{ app(name: "a\\ud800b") { name } }'],
      [`{ app(name: "a\u0000b") { name } }`],
      [query, { data: deep(101) }],
      [query, { data: deep(3_000) }],
      [query, { name: "a\u0000b" }],
      [query, { name: "a\ud800" }],
      [query, { data: { list: [{ ["a\u0000"]: 1 }] } }],
      [query, { data: { list: ["\udfff"] } }],
      ['{ app(name: "a") { name } other: app(name: 1234567890123456789) { name } }'],
      ["{ app(name: 1e400) { name } }"],
    ];
    for (const [text, variables] of cases) {
      const { status, body } = await post(text, { variables }, strict);
      assert.deepEqual([status, body.errors?.[0]?.extensions["code"]], [400, "VALIDATION_ERROR"], text.slice(0, 60));
    }
    const fine = `{ app(name: "[[[[ # \\" {{{") { name } } # ${"[".repeat(500)}\n`;
    assert.equal((await post(fine)).body.errors, undefined);
    assert.equal((await post(`{ app(name: """ ${"{".repeat(200)} \\""" " """) { name } }`)).body.errors, undefined);
  });

  test("pageInfo and totalCount cost once, in a fragment too", async () => {
    const fields = Array.from({ length: 17 }, (_, index) => `f${index}: name`).join(" ");
    const page = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount";
    // apps 1 + 50 × (edges 1 + node 1 + 17) + pageInfo 5 + totalCount 1 = 957
    const codes = async (query: string): Promise<unknown> => (await post(query)).body.errors?.[0]?.extensions["code"];
    assert.equal(await codes(`{ apps { edges { node { ${fields} } } ${page} } }`), "SERVICE_UNAVAILABLE");
    const spread = `{ apps { ...Page } } fragment Page on AppConnection { edges { node { ${fields} } } ${page} }`;
    assert.equal(await codes(spread), "SERVICE_UNAVAILABLE");
    assert.equal(await codes(`{ apps { edges { node { ${fields} a: name } } ${page} } }`), "VALIDATION_ERROR");
  });

  test("only permitted callers can introspect the schema", async () => {
    const query = getIntrospectionQuery();
    assert.equal((await post(query)).body.errors?.[0]?.extensions["code"], "PERMISSION_DENIED");
    const { body } = await post(query, {}, { authorization: "alice" });
    assert.equal(body.errors, undefined);
    assert.equal((await post(query)).body.errors?.[0]?.extensions["code"], "PERMISSION_DENIED", "also once it is cached");
  });
});

// One of the audits queries `__type`.
describe("GraphQL over HTTP audits, introspection on", () => {
  let listener: HttpListener;
  before(async () => {
    listener = await startedGraphql(() => true);
  });
  after(() => listener.stop());
  const url = (): string => graphqlUrl(listener);
  for (const audit of serverAudits({ url })) {
    test(audit.name, async () => {
      const result = await audit.fn();
      assert.equal(result.status, "ok", "reason" in result ? result.reason : "");
    });
  }
});
