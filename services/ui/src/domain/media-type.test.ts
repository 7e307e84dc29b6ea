import assert from "node:assert/strict";
import { test } from "node:test";
import { isCompressible, servedMediaType } from "./media-type.ts";

test("a type that could break the header is served as plain bytes", () => {
  assert.equal(servedMediaType("text/html\r\nSet-Cookie: a=b"), "application/octet-stream");
  assert.equal(servedMediaType("html"), "application/octet-stream");
  assert.equal(servedMediaType("text/html; charset=utf-8"), "text/html; charset=utf-8");
});

test("text and structured types are compressible, already compressed types are not", () => {
  const yes = [
    "text/javascript",
    "application/javascript",
    "application/json",
    "image/svg+xml",
    "application/wasm",
    "TEXT/CSS",
  ];
  const no = ["image/png", "font/woff2", "video/mp4", "application/zip", "application/octet-stream"];
  for (const type of yes) assert.equal(isCompressible(type), true, type);
  for (const type of no) assert.equal(isCompressible(type), false, type);
});
