import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../../usage-error.ts";
import { flagsFor } from "./login.ts";

test("a login to another address names it, whatever context is in use", () => {
  assert.deepEqual(flagsFor("https://new.example.com/console", { json: false }), {
    json: false,
    http: "https://new.example.com",
  });
  const given = flagsFor("http://new:8080", { json: false, grpc: "http://new:9443" });
  assert.deepEqual([given.http, given.grpc], ["http://new:8080", "http://new:9443"]);
  assert.throws(() => flagsFor("new.example.com", { json: false }), UsageError);
  assert.throws(() => flagsFor("ftp://new", { json: false }), UsageError);
});
