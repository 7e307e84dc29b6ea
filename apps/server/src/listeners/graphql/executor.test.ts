import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger, silentMetrics } from "@appserver/kernel";
import type { GraphqlContext } from "./context.ts";
import { createExecutableSchema, type ServiceResolvers } from "./executable-schema.ts";
import { Executor, type PreparedOperation } from "./executor.ts";
import { OperationCounts } from "./operation-counts.ts";

const sdl = "type Page { total: Int! lazy: Int } type Query { page: Page! }";
const resolvers = {
  Query: { page: async () => ({ count: async () => 3, lazy: () => 4 }) },
  Page: { total: (page: { count: () => Promise<number> }) => page.count() },
} as unknown as ServiceResolvers;
const limits = { cost: 1_000, depth: 15, aliases: 15, tokens: 1_000 };

/** Often enough to be interpreted first and compiled then. */
async function often(query: string): Promise<readonly unknown[]> {
  const schema = createExecutableSchema(sdl, [resolvers]);
  const executor = new Executor(schema, limits, silentLogger, new OperationCounts(silentMetrics));
  const results: unknown[] = [];
  for (let use = 1; use <= 4; use += 1) {
    const operation = executor.prepare({ query }, false) as PreparedOperation;
    const { data, errors } = await executor.run(operation, { requestId: "test" } as GraphqlContext);
    const seen = { data, codes: errors?.map(({ extensions }) => extensions["code"]) ?? [] };
    // As it is sent: without the prototypes, which differ.
    results.push(JSON.parse(JSON.stringify(seen)));
  }
  return results;
}

test("what a resolver answers is the same at every use", async () => {
  assert.deepEqual(await often("{ page { total } }"), Array(4).fill({ data: { page: { total: 3 } }, codes: [] }));
});

test("a function in the place of a value fails at the first use, as it would when compiled", async () => {
  assert.deepEqual(
    await often("{ page { lazy } }"),
    Array(4).fill({ data: { page: { lazy: null } }, codes: ["INTERNAL_ERROR"] }),
  );
});
