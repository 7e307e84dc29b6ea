import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { AppError, type Caller } from "@appserver/kernel";
import type { SessionCredential } from "@appserver/kernel/ports";
import { because, clockApp, plain, Scene } from "../../../test/callers.ts";

test("if there are two session cookies, neither is accepted", async () => {
  const scene = new Scene();
  scene.identity.sessions.set("good", { userId: "alice", displayName: "Alice" });
  for (const cookie of ["identity_session=good; identity_session=good", "identity_session=good;identity_session=bad"]) {
    await assert.rejects(async () => scene.who(plain({ cookie })), because("credentials_malformed"));
  }
  // A name with another kind of space is another name, which any app may set.
  const padded = "\u00a0identity_session=bad; identity_session=good; \ufeffidentity_session=bad";
  assert.deepEqual(await scene.who(plain({ cookie: padded })), { kind: "user", id: "alice", displayName: "Alice" });
});

test("app headers take precedence over bearer, bearer over cookie, and a bad credential never falls through", async () => {
  const scene = new Scene();
  scene.identity.sessions.set("good", { userId: "alice", displayName: "Alice" });
  const alice: Caller = { kind: "user", id: "alice", displayName: "Alice" };
  const cookie = "a=b; identity_session=good; c=d";
  assert.deepEqual(await scene.who(plain({})), { kind: "anonymous" });
  assert.deepEqual(await scene.who(plain({ cookie })), alice);
  assert.deepEqual(await scene.who(plain({ authorization: "Bearer good" })), alice);
  assert.deepEqual(await scene.who(plain({ cookie, authorization: "Basic abc" })), alice);
  assert.deepEqual(await scene.who(scene.signed({ headers: { cookie, authorization: "Bearer good" } })), clockApp);
  await assert.rejects(scene.who(plain({ cookie, authorization: "Bearer bad" })), because("session_invalid"));
  await assert.rejects(scene.who(plain({ cookie, authorization: "Bearer" })), because("credentials_malformed"));
  await assert.rejects(scene.who(plain({ cookie, "x-app-name": "clock" })), because("credentials_malformed"));
});

test("an unreachable identity provider is 503, never an anonymous caller", async () => {
  const scene = new Scene();
  scene.identity.outage = true;
  await assert.rejects(scene.who(plain({ cookie: "identity_session=x" })), because("identity_unavailable"));
});

test("every request queries the identity provider, but concurrent requests share one query", async () => {
  const scene = new Scene();
  scene.identity.sessions.set("s", { userId: "alice", displayName: "Alice" });
  const request = plain({ cookie: "identity_session=s" });
  await Promise.all([scene.who(request), scene.who(request), scene.who(request)]);
  assert.equal(scene.identity.asked, 1);
  await scene.who(request);
  assert.equal(scene.identity.asked, 2);
});

test("a session that ended is asked for again at once, whatever is cached", async () => {
  const scene = new Scene({ sessionCacheTtlMs: 1_000 });
  scene.identity.sessions.set("s", { userId: "alice", displayName: "Alice" });
  const request = plain({ cookie: "identity_session=s" });
  await scene.who(request);
  scene.identity.sessions.delete("s");
  await scene.who(request);
  scene.authenticator.forgetSession(request);
  await assert.rejects(scene.who(request), because("session_invalid"));
});

test("a session that the provider says has ended is asked for again at once, also if it was being asked for", async () => {
  const scene = new Scene({ sessionCacheTtlMs: 1_000 });
  for (const name of ["s", "t"]) scene.identity.sessions.set(name, { userId: "alice", displayName: "Alice" });
  const known = plain({ cookie: "identity_session=s" });
  const underWay = plain({ cookie: "identity_session=t" });
  await scene.who(known);
  const answer = scene.who(underWay);
  scene.identity.end("s");
  await answer;
  scene.identity.sessions.delete("t");
  for (const request of [known, underWay]) await assert.rejects(scene.who(request), because("session_invalid"));
});

test("a provider that knows the session answers without a promise", async () => {
  const scene = new Scene();
  mock.method(scene.identity, "whoami", ({ value }: SessionCredential) => {
    if (value !== "s") throw new AppError("AUTHENTICATION_FAILED", "the session is not valid");
    return { userId: "alice", displayName: "Alice" };
  });
  const alice = { kind: "user", id: "alice", displayName: "Alice" };
  assert.deepEqual(scene.authenticator.authenticate(plain({ cookie: "identity_session=s" })), alice);
  assert.throws(() => scene.authenticator.authenticate(plain({ cookie: "identity_session=t" })), because("session_invalid"));
});

test("with a session cache, results are kept for that time and no longer than the session", async () => {
  const scene = new Scene({ sessionCacheTtlMs: 1_000 });
  const expiresAt = new Date(scene.clock.now() + 1_500);
  scene.identity.sessions.set("s", { userId: "alice", displayName: "Alice", expiresAt });
  const request = plain({ cookie: "identity_session=s" });
  for (const [step, asked] of [
    [0, 1],
    [999, 1],
    [1, 2],
    [499, 2],
    [1, 3],
  ] as const) {
    await scene.clock.advance(step);
    await scene.who(request);
    assert.equal(scene.identity.asked, asked, `after ${step}`);
  }
});

test("a page of another site cannot act with the cookie", async () => {
  const scene = new Scene({ allowedOrigins: ["https://shell.example"] });
  scene.identity.sessions.set("s", { userId: "alice", displayName: "Alice" });
  const post = (headers: Record<string, string>, more = {}) =>
    scene.who(plain({ cookie: "identity_session=s", host: "h:8080", ...headers }, { method: "POST", ...more }));
  for (const headers of [
    {},
    { origin: "http://h:8080" },
    { origin: "https://shell.example" },
    { "sec-fetch-site": "same-origin" },
    { origin: "null", "sec-fetch-site": "same-origin" },
  ]) {
    assert.equal((await post(headers)).kind, "user");
  }
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "cross-site" },
  ]) {
    await assert.rejects(post(headers), because("cross_site"), JSON.stringify(headers));
  }
  const evil = { origin: "https://evil.example" };
  assert.equal((await post(evil, { method: "GET" })).kind, "user");
  await assert.rejects(post(evil, { method: "GET", isUpgrade: true }), because("cross_site"));
});
