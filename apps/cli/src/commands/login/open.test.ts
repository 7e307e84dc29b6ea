import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf } from "./open.ts";

test("only addresses on the platform itself are opened", () => {
  const http = "https://apps.example.com";
  assert.equal(addressOf(http, "/notes"), "https://apps.example.com/notes");
  for (const path of [
    "file:///etc/passwd",
    "vscode://file/etc/passwd",
    "smb://host/share",
    "javascript:alert(1)",
    "//evil.example/notes",
    "https://apps.example.com.evil.example/",
    "http://apps.example.com/",
    "http://[",
  ])
    assert.throws(() => addressOf(http, path), /which is no address on https:\/\/apps\.example\.com/, path);
  assert.throws(() => addressOf("file:///srv", "/notes"), /no address/);
});
