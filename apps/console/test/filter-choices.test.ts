import assert from "node:assert/strict";
import { test } from "node:test";
import { meant, optionsFor, shownOf, withoutDoubles } from "../web/parts/filter-choices.ts";

const choices = [
  { value: "user:1", label: "Alice Reader" },
  { value: "user:2", label: "Bob Guest" },
  { value: "user:3", label: "Bob Guest" },
];

test("choices are found by a part of their name or their value", () => {
  const found = (text: string) => optionsFor(text, choices).map(({ value }) => value);
  assert.deepEqual(found("  reader"), ["user:1"]);
  assert.deepEqual(found("USER:2"), ["user:2"]);
  assert.deepEqual(found(""), ["user:1", "user:2", "user:3"]);
  assert.deepEqual(found("carol"), []);
});

test("what the platform found for the text is offered, whatever it is called", () => {
  const found = optionsFor("ada@example.com", [...choices, { value: "user:4", label: "Ada Admin", isFound: true }]);
  assert.deepEqual(found, [{ value: "user:4", label: "Ada Admin" }]);
});

test("a text means the one choice with this name, and otherwise itself", () => {
  assert.equal(meant("alice reader", choices), "user:1");
  assert.equal(meant("user:2", choices), "user:2");
  assert.equal(meant("user:unknown", choices), "user:unknown");
  // Two are called so.
  assert.equal(meant("Bob Guest", choices), "Bob Guest");
});

test("a value is shown by its name, and an unknown one as it is", () => {
  assert.equal(shownOf("user:1", choices), "Alice Reader");
  assert.equal(shownOf("user:9", choices), "user:9");
});

test("of choices with the same value the first stays, in its place", () => {
  const doubled = [...choices, { value: "user:1", label: "user:1" }];
  assert.deepEqual(withoutDoubles(doubled), choices);
});
