import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonArgument } from "./json-argument.ts";
import { UsageError } from "./usage-error.ts";

test("JSON of the command line is refused if it is not JSON, or if a number of it would change", () => {
  const parse = (text: string) => parseJsonArgument(text, "--data", (reason) => `--data must be JSON: ${reason}`);
  const refusal = (match: RegExp) => (error: unknown) => error instanceof UsageError && match.test(error.message);
  assert.deepEqual(parse('{"id":"1234567890123456789"}'), { id: "1234567890123456789" });
  assert.throws(() => parse("{"), refusal(/^--data must be JSON: ./));
  assert.throws(() => parse('{"id":1234567890123456789}'), refusal(/^--data: id must be a number that a double holds/));
  assert.throws(() => parse("1e400"), refusal(/^--data must be a number/));
});
