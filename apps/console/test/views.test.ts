import assert from "node:assert/strict";
import { test } from "node:test";
import { maxViews, viewsOf, withView } from "../web/parts/views.ts";

const failed = { name: "Failed", search: { failed: true } };

test("a view has the values of the filter that are set, and replaces that of the same name", () => {
  const first = withView([], { name: "  Failed ", search: { failed: true, app: undefined } });
  assert.deepEqual(first, [failed]);
  const both = withView(first, { name: "All of Alice", search: { caller: "user:alice" } });
  assert.deepEqual(
    both.map(({ name }) => name),
    ["All of Alice", "Failed"],
  );
  assert.deepEqual(withView(first, { name: "Failed", search: { slower: 100 } }), [{ name: "Failed", search: { slower: 100 } }]);
});

test("a page has no view without a name, and at most twenty", () => {
  assert.deepEqual(withView([failed], { name: " ", search: {} }), [failed]);
  const full = Array.from({ length: maxViews }, (_, index) => ({ name: `view ${index}`, search: {} }));
  assert.equal(withView(full, failed), full);
  assert.equal(withView(full, { name: "view 3", search: { app: "a" } }).length, maxViews);
});

test("of what the browser has kept, only views are read", () => {
  assert.deepEqual(viewsOf(JSON.stringify([failed, { name: 1, search: {} }, { name: "list", search: [] }, null])), [failed]);
  for (const broken of [null, "{", "3", '{"name":"x"}']) assert.deepEqual(viewsOf(broken), []);
});
