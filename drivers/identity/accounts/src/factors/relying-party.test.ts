import assert from "node:assert/strict";
import { it } from "node:test";
import { relyingPartyOf } from "./relying-party.ts";

it("passkeys are for hosts with a name and TLS, and for localhost", () => {
  for (const [origin, id] of [
    ["https://platform.example.com", "platform.example.com"],
    ["https://platform.example.com:8443", "platform.example.com"],
    ["http://localhost:8080", "localhost"],
    ["http://app.localhost", "app.localhost"],
  ] as const) {
    assert.deepEqual(relyingPartyOf(origin), { id, origin });
  }
  for (const origin of [
    "http://platform.example.com",
    "https://192.0.2.1",
    "https://0x7f.1",
    "https://[2001:db8::1]",
    "http://127.0.0.1:8080",
    "http://",
    "",
  ]) {
    assert.equal(relyingPartyOf(origin), undefined, origin);
  }
});
