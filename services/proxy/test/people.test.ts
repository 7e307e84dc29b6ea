import assert from "node:assert/strict";
import { createSecretKey, randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { serveApp } from "@appserver/sdk";
import { type AppOptions, app, route, TestProxy } from "./fakes.ts";

const secret = randomBytes(32);
const granted = "permission_scope:read_people";
const ada = { userId: "ada", displayName: "Ada Łovelace\r\n✓", email: "ada@exämple.com" };
const sent = { "x-user-name": encodeURIComponent(ada.displayName), "x-user-email": encodeURIComponent(ada.email) };
const forged = { "x-user-name": "Eve", "X-User-Email": "eve@example.com", x_user_name: "Eve", x_user_email: "eve@example.com" };

/** A backend of the SDK that lists all forged headers, and returns what it received. */
async function scene(t: TestContext, more: Partial<AppOptions> = {}) {
  const backend = await serveApp({
    host: "127.0.0.1",
    port: 0,
    forwardSecret: secret.toString("base64"),
    routes: { "GET /{path...}": ({ caller, request }) => ({ json: { caller, headers: request.headers } }) },
  });
  t.after(() => backend.stop());
  const proxy = new TestProxy();
  t.after(() => proxy.stop());
  proxy.identity.sessions.set("s1", ada);
  const routes = [route("/public/**"), route("/**", { isPublic: false })];
  const api = { forwardHeaders: Object.keys(forged), routes };
  await proxy.start(app({ url: `http://127.0.0.1:${backend.port}`, forwardKey: createSecretKey(secret), api, ...more }));
  const get = async (path = "/x", cookie = "identity_session=s1") => {
    const answer = await proxy.fetch(`/api/apps/demo${path}`, { headers: { cookie, ...forged } });
    assert.equal(answer.status, 200, answer.body);
    const { caller, headers } = answer.json() as Record<string, Record<string, string>>;
    const names = Object.entries(headers ?? {}).filter(([name]) => /user.(?:name|email)/.test(name));
    return { caller, names: Object.fromEntries(names) };
  };
  return { proxy, get };
}

test("an app that holds people:read receives the user's name and address, signed; forged ones never pass", async (t) => {
  const { proxy, get } = await scene(t, { asksForPeople: true });
  proxy.authorization.grant("app:demo", granted);
  const { userId, displayName, email } = ada;
  assert.deepEqual(await get(), { caller: { userId, displayName, email }, names: sent });
  proxy.identity.sessions.set("s1", { userId, displayName: "" });
  assert.deepEqual(await get(), { caller: { userId }, names: {} });
  proxy.identity.sessions.set("s1", { userId, displayName: "\ud800", email });
  assert.deepEqual((await get()).caller, { userId, displayName: "\ufffd", email });
  assert.deepEqual(await get("/public/x"), { caller: {}, names: {} });
});

test("an app that only requests people:read, or holds it without requesting it, receives neither name nor address", async (t) => {
  const asking = await scene(t, { asksForPeople: true });
  assert.deepEqual(await asking.get(), { caller: { userId: ada.userId }, names: {} });
  asking.proxy.authorization.outage = true;
  assert.deepEqual((await asking.get()).names, {}, "a check that fails");
  const holding = await scene(t);
  holding.proxy.authorization.grant("app:demo", granted);
  assert.deepEqual(await holding.get(), { caller: { userId: ada.userId }, names: {} });
  assert.equal(holding.proxy.authorization.asked, 0);
});

test("a long name is cut between characters, and a long address is left out", async (t) => {
  const { proxy, get } = await scene(t, { asksForPeople: true });
  proxy.authorization.grant("app:demo", granted);
  const { userId } = ada;
  proxy.identity.sessions.set("s1", { userId, displayName: "😀".repeat(129), email: `${"a".repeat(245)}@example.com` });
  assert.deepEqual((await get()).caller, { userId, displayName: "😀".repeat(128) });
  proxy.identity.sessions.set("s1", { userId, displayName: "a", email: `${"a".repeat(244)}@example.com` });
  assert.equal((await get()).caller?.["email"]?.length, 256);
});
