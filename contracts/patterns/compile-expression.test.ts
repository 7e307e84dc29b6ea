import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { compileExpression, MatchBudget, MatchBudgetError } from "./compile-expression.ts";
import { expressionSize } from "./expression-size.ts";

const plenty = () => new MatchBudget(1_000_000_000);

describe("the size of an expression", () => {
  for (const [source, size] of [
    ["", 0],
    ["abc", 3],
    ["a{100}", 201],
    ["(?:ab){10}", 31],
    ["(ab)", 4],
    ["(?P<name>a)", 3],
    ["[a-z]{0,5}", 11],
    ["[]a{99}]", 1],
    ["[\\]a{99}]", 1],
    ["[+-[:]a{9}", 20],
    ["\\x{10}", 1],
    ["\\pL", 50],
    ["a(?i){10}", 21],
  ] as const) {
    test(`${source || "nothing"} has ${size}`, () => assert.equal(expressionSize(source), size));
  }

  test("is never far below the size of the program that RE2 compiles", () => {
    const piece = fc.constantFrom(
      ..."ab.|*+?^$-]}{é😀(",
      ..."(?:,),),[a-z],[^a],\\pL,\\d,{2},{0,10},{3,},{100},\\b,(?i),\\Qa(\\E,[[:alpha:]],[\\d-[:alpha:])],[]a],[^]-z],\\x{10},\\x41,(?P<n>,\\[,[a-],[a-\\]],[+-[:],(?:ab?){50}".split(
        /,(?!\d|\})/,
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const source = pieces.join("");
        const size = expressionSize(source);
        if (size > 4_000) return true;
        try {
          return RE2JS.compile(source).programSize() <= 1.5 * size + 8;
        } catch {
          return true;
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("expressions", () => {
  for (const [source, reason] of [
    ["(a)\\1", /not a regular expression in RE2 syntax/],
    ["(?=a)", /not a regular expression in RE2 syntax/],
    ["a{101}", /repeats more than 100 times/],
    ["a{0,1000}", /repeats more than 100 times/],
    ["a{00000000000100}", /repeats more than 100 times/],
    [`${"[a-z]{0,100}".repeat(70)}x`, /compiles to \d+ instructions/],
    ["(?:(?:a{0,10}){0,10}){0,10}", /compiles to \d+ instructions/],
    ["\\pL".repeat(21), /compiles to 1050 instructions/],
    ["a".repeat(1_001), /has 1001 characters/],
  ] as const) {
    test(`${source.slice(0, 30)} is refused`, () => {
      assert.throws(
        () => compileExpression(source),
        (error: unknown) => error instanceof RangeError && reason.test(error.message),
      );
    });
  }

  test("match whole texts and parts of texts as RE2 does", () => {
    const expression = compileExpression("[a-z]+[0-9]{2}");
    assert.deepEqual(
      ["ab12", "xab12", "ab123", "AB12"].map((text) => [
        expression.matchesWhole(text, plenty()),
        expression.matchesPart(text, plenty()),
      ]),
      [
        [true, true],
        [true, true],
        [false, true],
        [false, false],
      ],
    );
  });

  test("agree with RE2 on texts of every length, independent of earlier matches", () => {
    const sources = [".*a.{20}x", "(?:.*a){5}.{10}", "(a|aa)+$", "[ab]*x?[ab]{30}", "(?:a?b?){40}c*"];
    const compiled = sources.map((source) => ({ ours: compileExpression(source), theirs: RE2JS.compile(source) }));
    const text = fc.array(fc.constantFrom("a", "b", "x", "ab", "é"), { maxLength: 600 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.constantFrom(...compiled), (subject, { ours, theirs }) => {
        assert.equal(ours.matchesWhole(subject, plenty()), theirs.testExact(subject));
        assert.equal(ours.matchesPart(subject, plenty()), theirs.test(subject));
      }),
      { numRuns: 300 },
    );
  });

  test("throw when the budget is used up, which happens only if the states grow with the text", () => {
    const letters = Array.from({ length: 20_000 }, (_, index) => (Math.sin(index) > 0 ? "a" : "b")).join("");
    const explosive = compileExpression(".*a.{90}x");
    for (let turn = 0; turn < 3; turn += 1)
      assert.throws(() => explosive.matchesWhole(letters, new MatchBudget(100_000)), MatchBudgetError);
    assert.equal(explosive.matchesWhole(letters, plenty()), false);
    for (const harmless of ["(a+)+x", "(a|aa)+$x", "[ab]*x", "^[a-z]+$"])
      compileExpression(harmless).matchesPart(letters, new MatchBudget(0));
  });

  test("share one budget", () => {
    const budget = new MatchBudget(100);
    assert.deepEqual([budget.take(60), budget.take(60), budget.take(40), budget.take(1)], [true, false, true, false]);
  });
});
