import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { HttpListener } from "../http/index.ts";
import { fanout, graphqlUrl, postQuery, startedGraphql } from "../test/graphql-under-test.ts";

const secret = "s3cret-value";

describe("errors of GraphQL itself", () => {
  let listener: HttpListener;
  before(async () => {
    await fanout.start();
    listener = await startedGraphql();
  });
  after(() => listener.stop());

  const messagesOf = async (query: string, variables: object = {}): Promise<readonly string[]> => {
    const { body } = await postQuery(graphqlUrl(listener), query, { variables }, {});
    return body.errors?.map(({ message }) => message) ?? [];
  };

  test("an error names a variable and its type, never its value, interpreted and compiled", async () => {
    for (const value of [{ deep: secret }, [secret]])
      for (let run = 1; run <= 4; run += 1) {
        const found = await messagesOf("query ($name: String!) { app(name: $name) { name } }", { name: value });
        assert.deepEqual(found, ['Variable "$name" must be a value of type String!']);
      }
  });

  test("an error about a literal names the expected type", async () => {
    assert.deepEqual(await messagesOf(`{ app(name: {deep: "${secret}"}) { name } }`), [
      "String cannot represent a non string value",
    ]);
    assert.deepEqual(await messagesOf(`{ apps(first: "${secret}") { totalCount } }`), [
      "Int cannot represent non-integer value",
    ]);
  });

  test("an error about a misplaced value names its kind", async () => {
    assert.deepEqual(await messagesOf(`{ app(name "${secret}") { name } }`), ['Syntax Error: Expected ":", found String.']);
    assert.deepEqual(await messagesOf(`{ app(name 4711) { name } }`), ['Syntax Error: Expected ":", found Int.']);
    assert.deepEqual(await messagesOf(`{ app(name """${secret}""") { name } }`), [
      'Syntax Error: Expected ":", found BlockString.',
    ]);
  });

  test("names stay in errors, so that a caller can find a typing error", async () => {
    assert.match((await messagesOf("{ ap { name } }")).join(), /Cannot query field "ap" on type "Query"/);
    assert.match((await messagesOf("{ app(name: ) }")).join(), /Unexpected "\)"/);
  });
});
