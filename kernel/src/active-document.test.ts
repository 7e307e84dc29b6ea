import assert from "node:assert/strict";
import { test } from "node:test";
import { isActiveDocument } from "./active-document.ts";

test("types that run script when opened as a page are active, and so are unknown types", () => {
  const active = [
    "text/html",
    "Text/HTML; charset=utf-8",
    " text/html ",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
    "text/xsl",
    "audio/made-up+xml",
    "application/xml;charset=utf-8",
    "multipart/x-mixed-replace; boundary=x",
    "message/rfc822",
    "application/x-made-up",
    "application/pdf",
    undefined,
    "",
    "html",
    "text/plain, text/html",
    "text/plain;a=b, text/html",
    "text/plain\r\ntext/html",
  ];
  for (const type of active) assert.equal(isActiveDocument(type), true, type);
});

test("data, scripts, styles, fonts and pictures are not active", () => {
  const inert = [
    "text/plain",
    "TEXT/PLAIN;charset=utf-8",
    "text/javascript",
    "text/css",
    "application/json; charset=utf-8",
    "application/problem+json",
    "image/png",
    "video/mp4",
    "font/woff2",
    "application/octet-stream",
    "application/wasm",
    "text/event-stream",
  ];
  for (const type of inert) assert.equal(isActiveDocument(type), false, type);
});
