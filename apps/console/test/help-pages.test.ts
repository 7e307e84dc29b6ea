import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { helpOf, helpPages } from "../web/shell/help-pages.ts";

const docs = resolve(import.meta.dirname, "../../../docs");

test("the documentation has every page and heading to which the console leads", () => {
  for (const [path, page] of helpPages) {
    const [file = "", anchor] = page.split("#");
    const headings = readFileSync(join(docs, `${file}.md`), "utf8").match(/^#+ .+$/gm) ?? [];
    const anchors = headings.map((each) => each.replace(/^#+ /, "").toLowerCase().replaceAll(" ", "-"));
    assert.ok(anchor === undefined || anchors.includes(anchor), `${path}: ${page}`);
  }
});

test("a page has the documentation of its subject, and pages of apps have none", () => {
  assert.equal(helpOf("/"), "/docs/");
  assert.equal(helpOf("/console"), "/docs/interface/console");
  assert.equal(helpOf("/console/apps"), "/docs/interface/states");
  assert.equal(helpOf("/console/apps/com.example.notes/settings"), "/docs/interface/settings");
  assert.equal(helpOf("/console/access/roles"), "/docs/guides/users-and-roles");
  assert.equal(helpOf("/notes"), undefined);
});
