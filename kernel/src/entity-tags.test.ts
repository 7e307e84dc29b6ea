import assert from "node:assert/strict";
import { test } from "node:test";
import { isMatch, isNoneMatchHit, parseEntityTags } from "./entity-tags.ts";

test("fields with entity tags are read in every form of RFC 9110", () => {
  const tag = (opaque: string, isWeak = false) => ({ opaque, isWeak });
  for (const [field, expected] of [
    ["*", "any"],
    [" * ", "any"],
    ['"a"', [tag("a")]],
    ['W/"a"', [tag("a", true)]],
    ['"a", W/"b" ,"c"', [tag("a"), tag("b", true), tag("c")]],
    [',, "a",', [tag("a")]],
    ['"a,b", ""', [tag("a,b"), tag("")]],
    ['"ü"', [tag("ü")]],
    ["", []],
    ["a", []],
    ['w/"a"', []],
    ['"a', []],
    ['"a", b, "c"', [tag("a")]],
  ] as const)
    assert.deepEqual(parseEntityTags(field), expected, field);
});

test("If-None-Match compares weakly, If-Match strongly", () => {
  for (const [field, etag, weakly, strongly] of [
    ['"a"', '"a"', true, true],
    ['W/"a"', '"a"', true, false],
    ['"a"', 'W/"a"', true, false],
    ['"b", "a"', '"a"', true, true],
    ['"b"', '"a"', false, false],
    ["*", '"a"', true, true],
    ['"A"', '"a"', false, false],
    ["", '"a"', false, false],
  ] as const)
    assert.deepEqual([isNoneMatchHit(field, etag), isMatch(field, etag)], [weakly, strongly], `${field} ${etag}`);
  assert.equal(isNoneMatchHit(undefined, '"a"'), false);
});
