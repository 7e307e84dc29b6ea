import assert from "node:assert/strict";
import { test } from "node:test";
import { confineCookie, withoutOwnCookies } from "./set-cookie.ts";

const rules = { sessionCookieName: "identity_session", base: "/api/apps/x", stripsBase: true };

test("an app's cookie is limited to the app's own paths", () => {
  const confined: Readonly<Record<string, string>> = {
    "own=1": "own=1; Path=/api/apps/x",
    "own=1; Path=/": "own=1; Path=/api/apps/x",
    "own=1; path=/admin; HttpOnly": "own=1; HttpOnly; Path=/api/apps/x/admin",
    "own=1; Path=/api/apps/x/deep": "own=1; Path=/api/apps/x/deep",
    "own=1; Path=/api/apps/xy": "own=1; Path=/api/apps/x/api/apps/xy",
    "own=1; Path=/api/apps/x; Path=/": "own=1; Path=/api/apps/x",
    "own=1; PATH =/a; Secure; SameSite=None": "own=1; Secure; SameSite=None; Path=/api/apps/x/a",
    "own=1; Path": "own=1; Path=/api/apps/x",
    "own=1; Path=relative": "own=1; Path=/api/apps/x",
    "own=1; Domain=example.com; domain=.example.com": "own=1; Path=/api/apps/x",
    "__Secure-own=1; Secure; Path=/": "__Secure-own=1; Secure; Path=/api/apps/x",
    "own=a=b": "own=a=b; Path=/api/apps/x",
  };
  for (const [line, expected] of Object.entries(confined)) assert.equal(confineCookie(line, rules), expected, line);
});

test("if the app sees its base in paths, a path outside the base becomes the base", () => {
  const whole = { ...rules, stripsBase: false };
  assert.equal(confineCookie("own=1; Path=/admin", whole), "own=1; Path=/api/apps/x");
  assert.equal(confineCookie("own=1; Path=/api/apps/x/admin", whole), "own=1; Path=/api/apps/x/admin");
});

test("an app cannot set the session cookie, host cookies, or cookies without a name", () => {
  const refused = [
    "identity_session=stolen",
    " identity_session =stolen; Path=/api/apps/x",
    "IDENTITY_SESSION=stolen",
    "\u00a0identity_session=stolen",
    "=identity_session=stolen",
    " = identity_session=stolen",
    "identity_session",
    "bare",
    "",
    "__Host-own=1; Secure; Path=/",
    "__host-own=1",
    "appserver_flow=stolen",
    "own=1\u0000; Path=/",
    "own=1\u000b",
  ];
  for (const line of refused) assert.equal(confineCookie(line, rules), undefined, line);
});

test("a Cookie header is forwarded without the session", () => {
  assert.equal(withoutOwnCookies("a=b; identity_session=s; c=d", "identity_session"), "a=b; c=d");
  assert.equal(withoutOwnCookies("identity_session=s", "identity_session"), undefined);
  const begun = "a=b; appserver_flow=x; __Host-appserver_challenge=y; myappserver_=z";
  assert.equal(withoutOwnCookies(begun, "identity_session"), "a=b; myappserver_=z");
  assert.equal(withoutOwnCookies("identity_session=s;identity_session =t; ", "identity_session"), undefined);
  assert.equal(
    withoutOwnCookies("x_identity_session=1;a=identity_session", "identity_session"),
    "x_identity_session=1;a=identity_session",
  );
});
