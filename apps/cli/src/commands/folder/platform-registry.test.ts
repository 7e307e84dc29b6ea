import assert from "node:assert/strict";
import { test } from "node:test";
import { registryName } from "./platform-registry.ts";

test("the platform's address is the name of its registry, in the form that Docker reads as a host", () => {
  for (const [http, expected] of [
    ["https://apps.example.com", "apps.example.com"],
    ["https://apps.example.com:8443/", "apps.example.com:8443"],
    ["https://platform", "platform:443"],
    ["https://[2001:db8::1]", "[2001:db8::1]:443"],
    ["http://127.0.0.1:8080", "127.0.0.1:8080"],
    ["http://localhost", "localhost:80"],
    ["http://[::1]:8080", "[::1]:8080"],
  ] as const)
    assert.equal(registryName(http), expected, http);
});

test("Docker pushes over plain HTTP only to this machine", () => {
  for (const http of ["http://apps.example.com", "http://192.0.2.1:8080", "http://127.0.0.1.example.com"])
    assert.throws(() => registryName(http), /over HTTPS only, except to this machine/, http);
});
