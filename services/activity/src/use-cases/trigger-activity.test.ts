import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { isAppError, silentLogger } from "@appserver/kernel";
import { ThreadedInputSchemas } from "../adapters/input-schemas/threaded-input-schemas.ts";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import type { ActivityContext } from "./context.ts";
import { checkedInput } from "./trigger-activity.ts";

describe("an input", () => {
  const schemas = new ThreadedInputSchemas(silentLogger);
  after(() => schemas.close());
  const check = (schema: object, input: unknown) =>
    checkedInput(
      // The test uses no other part of the context.
      { schemas } as unknown as ActivityContext,
      { name: "work", inputSchema: JSON.stringify(schema) } as ActivityDefinition,
      input,
    );

  test("is refused, with the reason, if the stored schema costs too much", async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20 }, (_, level) => [
        `a${level}`,
        { anyOf: [{ $ref: `#/$defs/a${level + 1}` }, { $ref: `#/$defs/a${level + 1}` }] },
      ]),
    );
    const stored = { $ref: "#/$defs/a0", $defs: { ...$defs, a20: { type: "string" } } };
    await assert.rejects(check(stored, 7), (error: unknown) => {
      assert.ok(isAppError(error, "INVALID_STATE"));
      assert.match(error.message, /^the input schema of work cannot be used: applies more than 1000 schemas to one value/);
      return true;
    });
  });

  test("is checked in its stored JSON form", async () => {
    assert.equal(await check({ type: "object" }, { a: 1 }), '{"a":1}');
    await assert.rejects(check({ type: "object" }, undefined), (error: unknown) => isAppError(error, "INVALID_REQUEST"));
  });
});
