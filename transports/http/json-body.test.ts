import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { BufferBudget } from "@appserver/kernel";
import { HttpStatusError } from "./error-response.ts";
import { parseJson, readBody, requireJson, textOf } from "./json-body.ts";
import { NodeRequest } from "./node-request.ts";

async function read(coding: string | undefined): Promise<string> {
  const headers = { "content-length": "2", ...(coding !== undefined && { "content-encoding": coding }) };
  const message = Object.assign(Readable.from([Buffer.from("{}")]), { headers });
  const request = new NodeRequest(message as unknown as IncomingMessage);
  return textOf(await readBody(request, 100, new BufferBudget({ totalBytes: 10_000 }).lease()));
}

describe("a body of JSON", () => {
  test("may say that it is not encoded; any other coding is 415", async () => {
    for (const coding of [undefined, "identity", "Identity", " identity ", "", "identity, identity"])
      assert.equal(await read(coding), "{}", coding);
    for (const coding of ["gzip", "identity, gzip", "identity;q=1"])
      await assert.rejects(read(coding), (error) => error instanceof HttpStatusError && error.status === 415, coding);
  });

  test("may begin with a byte order mark (RFC 8259 §8.1)", () => {
    assert.deepEqual(parseJson('\ufeff{"a":"\ufeff"}', "the body"), { a: "\ufeff" });
    assert.throws(() => parseJson('\ufeff\ufeff{"a":1}', "the body"), /the body must be JSON/);
  });

  test("is of one media type, with UTF-8 in any spelling or its subset", () => {
    for (const type of [
      "application/json",
      "Application/JSON; charset=UTF-8",
      'application/json;charset="utf-8"',
      "application/json; charset='utf8'",
      "application/json; charset=us-ascii",
      "application/json; odata=verbose; charset = utf-8 ;",
    ])
      requireJson(type);
    for (const type of [undefined, "", "text/json", "application/jsonx", "application/json; charset=latin1"])
      assert.throws(() => requireJson(type), HttpStatusError, type);
  });
});
