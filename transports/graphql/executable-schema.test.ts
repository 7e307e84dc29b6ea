import assert from "node:assert/strict";
import { test } from "node:test";
import { createExecutableSchema, type ServiceResolvers } from "./executable-schema.ts";

const sdl = "scalar JSON scalar DateTime type Query { a(at: DateTime, any: JSON): String }";

function resolvers(fields: object): ServiceResolvers {
  return { Query: fields } as ServiceResolvers;
}

test("resolvers that do not fit the schema throw at startup", () => {
  const a = (): string => "a";
  assert.throws(() => createExecutableSchema(sdl, [resolvers({ c: a })]), /Query\.c, which is not in the schema/);
  assert.throws(() => createExecutableSchema(sdl, [resolvers({ a }), resolvers({ a })]), /two resolvers for Query\.a/);
  assert.throws(() => createExecutableSchema(sdl, []), /no resolver for Query\.a/);
  assert.throws(() => createExecutableSchema(sdl, [{ Nothing: { a } } as ServiceResolvers]), /Nothing/);
});
