import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "@appserver/kernel";
import { anonymousCaller, SystemClock, silentLogger, silentMetrics } from "@appserver/kernel";
import { createExecutableSchema, type ServiceResolvers } from "./executable-schema.ts";
import { Executor, type PreparedOperation } from "./executor.ts";
import { OperationMetrics } from "./operation-metrics.ts";

const sdl = "type Page { total: Int! lazy: Int } type Query { page: Page! }";
const resolvers = {
  Query: { page: async () => ({ count: async () => 3, lazy: () => 4 }) },
  Page: { total: (page: { count: () => Promise<number> }) => page.count() },
} as unknown as ServiceResolvers;
const limits = { cost: 1_000, depth: 15, aliases: 15, tokens: 1_000 };

function newExecutor(): Executor {
  return new Executor({
    schema: createExecutableSchema(sdl, [resolvers]),
    limits,
    clock: new SystemClock(),
    logger: silentLogger,
    counts: new OperationMetrics(silentMetrics),
    suggestions: false,
  });
}

/** Runs the query often enough to be interpreted first and compiled then. */
async function often(query: string): Promise<readonly unknown[]> {
  const executor = newExecutor();
  const results: unknown[] = [];
  for (let use = 1; use <= 4; use += 1) {
    const operation = executor.prepare({ query }, anonymousCaller) as PreparedOperation;
    const { data, errors } = await executor.run(operation, { requestId: "test" } as Call);
    const seen = { data, codes: errors?.map(({ extensions }) => extensions["code"]) ?? [] };
    // As serialised: the objects' prototypes differ.
    results.push(JSON.parse(JSON.stringify(seen)));
  }
  return results;
}

test("a resolver's result is the same at every use", async () => {
  assert.deepEqual(await often("{ page { total } }"), Array(4).fill({ data: { page: { total: 3 } }, codes: [] }));
});

test("a function in place of a value fails at the first use, as it would when compiled", async () => {
  assert.deepEqual(
    await often("{ page { lazy } }"),
    Array(4).fill({ data: { page: { lazy: null } }, codes: ["INTERNAL_ERROR"] }),
  );
});

test("documents of one caller take at most 4 MiB, of all callers 32 MiB", async () => {
  const executor = newExecutor();
  const query = (index: number): string => `query q${index} { page { total } } # ${"x".repeat(9_000)}`;
  const prepare = (index: number, id: string): void => {
    const caller = { kind: "user", id, displayName: id } as const;
    const prepared = executor.prepare({ query: query(index) }, caller);
    assert.ok("cached" in prepared, JSON.stringify(prepared));
  };
  prepare(0, "bob");
  const one = executor.cachedBytes;
  assert.ok(one > 400_000);
  for (let index = 1; index < 40; index += 1) prepare(index, "alice");
  assert.ok(executor.cachedBytes <= one + 4 * 1024 * 1024);
  for (let user = 0; user < 100; user += 1) prepare(1_000 + user, `user ${user}`);
  assert.ok(executor.cachedBytes <= 32 * 1024 * 1024);
});
