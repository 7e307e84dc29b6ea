import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymousCaller, type Caller } from "@appserver/kernel";
import { forwardRequestHeaders, forwardRules } from "./header-rules.ts";
import { platformHeaderNames, pushPlatformHeaders } from "./platform-headers.ts";

const spellings = (name: string) => [
  name,
  name.toUpperCase(),
  name.replaceAll("-", "_"),
  name.replaceAll("-", "_").toUpperCase(),
];

for (const name of platformHeaderNames) {
  test(`${name} never passes from a caller, in any spelling, even if the app lists it`, () => {
    for (const forwardSession of [false, true]) {
      const rules = forwardRules([...spellings(name), "x-listed"], "session", forwardSession);
      const raw = [...spellings(name).flatMap((spelling) => [spelling, "forged"]), "x-listed", "yes"];
      assert.deepEqual(forwardRequestHeaders(raw, rules, undefined), ["x-listed", "yes"]);
    }
  });
}

test("the platform's headers name the caller by its kind", () => {
  const sent = (caller: Caller): Readonly<Record<string, string>> => {
    const headers: string[] = [];
    const traceparent = "00-1-2-00";
    const hop = { remoteAddress: "::1", protocol: "https", host: "h", prefix: "/api/apps/demo", via: "2.0 appserver" } as const;
    pushPlatformHeaders(headers, { requestId: "r", ...hop, caller, traceparent });
    return Object.fromEntries(headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""]] : [])));
  };
  const common = {
    "x-request-id": "r",
    "x-forwarded-for": "::1",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "h",
    "x-forwarded-prefix": "/api/apps/demo",
    via: "2.0 appserver",
    traceparent: "00-1-2-00",
  };
  assert.deepEqual(sent(anonymousCaller), common);
  const alice = { kind: "user", id: "alice", displayName: "Alice", email: "alice@example.com" } as const;
  assert.deepEqual(sent(alice), { ...common, "x-user-id": "alice" });
  assert.deepEqual(sent({ kind: "machine", id: "m-1", name: "ci", tokenId: "t" }), { ...common, "x-machine-id": "m-1" });
  assert.deepEqual(sent({ kind: "app", name: "com.example.clock", id: "1" }), { ...common, "x-app-name": "com.example.clock" });
});

test("cookies that HTTP/2 divided among lines are one line, without the session", () => {
  const rules = forwardRules(["cookie", "x-listed"], "session", false);
  const raw = ["cookie", "a=1", "x-listed", "1", "Cookie", "session=s", "cookie", "b=2; session=s; c=3", "x-listed", "2"];
  const expected = ["cookie", "a=1; b=2; c=3", "x-listed", "1", "x-listed", "2"];
  assert.deepEqual(forwardRequestHeaders(raw, rules, undefined), expected);
});
