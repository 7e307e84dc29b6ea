import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lineProblem, textProblem } from "./input-text.ts";

describe("texts from outside", () => {
  test("NUL and lone surrogates are refused everywhere", () => {
    for (const text of ["a\0b", "\0", "\ud800", "a\udc00b", "\udc00\ud800"]) {
      assert.equal(typeof textProblem(text), "string", JSON.stringify(text));
      assert.equal(typeof lineProblem(text), "string", JSON.stringify(text));
    }
    for (const text of ["", "ä", "😀", "a\nb\tc", "\u202e"]) assert.equal(textProblem(text), undefined, JSON.stringify(text));
  });

  test("a single-line text contains no control characters", () => {
    for (const text of ["a\nb", "\t", "\u007f", "\u0085", "a\u2028b", "\u202eexe.txt", "\u2066"])
      assert.equal(lineProblem(text), "must not contain control characters", JSON.stringify(text));
    for (const text of ["", "Größe 12 m²", "😀 👩‍👩‍👧", "עברית"]) assert.equal(lineProblem(text), undefined, text);
  });
});
