import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  filledPath,
  headersOf,
  isSafe,
  methodsOf,
  missingIn,
  partsOf,
  takesBody,
  withQuery,
} from "../web/features/app-routes/route-request.ts";

const filled = (pattern: string, values: Readonly<Record<string, string>>) =>
  filledPath(partsOf(pattern) ?? [], new Map(Object.entries(values)));

describe("the request of a route", () => {
  test("parameters are escaped, and the rest of a path keeps its slashes", () => {
    assert.equal(filled("/notes", {}), "/notes");
    assert.equal(filled("/notes/{id}", { id: "a/b c?" }), "/notes/a%2Fb%20c%3F");
    assert.equal(filled("/tags/*", { "segment 2": "ü" }), "/tags/%C3%BC");
    assert.equal(filled("/files/**", { "rest of the path": "/a b/c" }), "/files/a%20b/c");
    assert.equal(filled("/files/{path...}", { path: "x/y" }), "/files/x/y");
    assert.equal(filled("/files/**", {}), "/files/");
  });

  test("a parameter of one segment needs a value, the rest of a path does not", () => {
    assert.deepEqual(missingIn(partsOf("/a/{id}/*/**") ?? [], new Map([["id", "1"]])), ["segment 3"]);
  });

  test("an expression has no parameters", () => {
    assert.equal(partsOf("regex:^/reports/[0-9]{4}$"), undefined);
  });

  test("a query is appended with or without its question mark", () => {
    assert.deepEqual(
      ["", " ", "a=1", "?a=1"].map((query) => withQuery("/x", query)),
      ["/x", "/x", "/x?a=1", "/x?a=1"],
    );
  });

  test("headers are those that the proxy forwards and a page can set", () => {
    assert.deepEqual(headersOf(["x-export-token", "Accept", "cookie", "sec-fetch-site", "x-user-id", "authorization"]), [
      "accept",
      "content-type",
      "x-export-token",
      "authorization",
    ]);
  });

  test("a route without methods takes all of them; only safe ones are sent without a question", () => {
    assert.ok(methodsOf([]).includes("PATCH"));
    assert.deepEqual(methodsOf(["PUT"]), ["PUT"]);
    assert.deepEqual(["GET", "HEAD", "OPTIONS", "POST", "DELETE"].filter(isSafe), ["GET", "HEAD", "OPTIONS"]);
    assert.deepEqual(["GET", "HEAD", "DELETE"].filter(takesBody), ["DELETE"]);
  });
});
