import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, resolve } from "node:path";
import { test } from "node:test";
import { readPages } from "./read-pages.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Returns whether an image gets the file: of the patterns that match it or a folder above it, the last one decides. */
function isCopied(file: string, patterns: readonly string[]): boolean {
  const parts = file.split("/");
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  const isMatch = (pattern: string) => paths.some((path) => matchesGlob(path, pattern.replace("!", "")));
  return patterns.findLast(isMatch)?.startsWith("!") ?? true;
}

test("an image, which is built without the ignored files, has every page and picture of the documentation", () => {
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8").trim().split("\n");
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const copied = files.filter((file) => isCopied(file, ignored));
  const pictures = files.filter((file) => file.startsWith("docs/") && /\.(png|svg)$/.test(file));
  assert.deepEqual(
    pictures.filter((file) => !copied.includes(file)),
    [],
  );
  const folder = mkdtempSync(join(tmpdir(), "appserver-ignored-tree-"));
  try {
    for (const file of copied.filter((each) => each.endsWith(".md"))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file));
    }
    const pagesIn = (tree: string) => readPages(tree).map(({ file }) => file);
    assert.deepEqual(pagesIn(folder), pagesIn(root));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a tree without the documentation has no site", () => {
  const folder = mkdtempSync(join(tmpdir(), "appserver-empty-tree-"));
  try {
    assert.throws(
      () => readPages(folder),
      /docs\/README\.md does not exist in .*; the documentation cannot be built without it/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
