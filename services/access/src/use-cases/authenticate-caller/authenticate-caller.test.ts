import assert from "node:assert/strict";
import crypto, { createPublicKey, generateKeyPairSync } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { mock, test } from "node:test";
import { MemoryCache } from "@appserver/cache-memory";
import { metricCatalogue } from "@appserver/contracts/metrics";
import type { CredentialedRequest } from "@appserver/kernel";
import { because, clockApp, iso, plain, rsa, Scene } from "../../../test/callers.ts";

const otherRsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const small = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });

test("a signed request is authenticated as its app: by path, by absolute URL, with a body", async () => {
  const scene = new Scene();
  assert.deepEqual(await scene.who(scene.signed()), clockApp);
  assert.deepEqual(await scene.who(scene.signed({ signedUrl: "https://h/api/apps/notes/x" })), clockApp);
  assert.deepEqual(await scene.who(scene.signed({ signedUrl: "http://h/api/apps/notes/x" })), clockApp);
  assert.deepEqual(await scene.who(scene.signed({ method: "POST", body: '{"a":1}' })), clockApp);
});

test("outcomes are counted by credential", async () => {
  const scene = new Scene();
  scene.identity.sessions.set("alice", { userId: "alice", displayName: "Alice" });
  const cookie = (value: string) => scene.who(plain({ cookie: `identity_session=${value}` }));
  await cookie("alice");
  await assert.rejects(cookie("eve"));
  scene.identity.outage = true;
  await assert.rejects(cookie("alice"));
  await assert.rejects(scene.who(scene.signed({ key: small.privateKey })));
  await assert.rejects(async () => scene.who(plain({ authorization: "Bearer " })));
  await scene.who(plain({}));
  const count = (credential: string, outcome: string) =>
    scene.metrics.value(metricCatalogue.authentications, { credential, outcome });
  const counted = ["accepted", "refused", "unavailable"].map((outcome) => count("cookie", outcome));
  assert.deepEqual([...counted, count("signature", "refused"), count("bearer", "refused")], [1, 1, 1, 1, 1]);
});

test("the session of a browser can be used as a bearer token", async () => {
  const scene = new Scene();
  scene.identity.sessions.set("alice", { userId: "alice", displayName: "Alice" });
  const asked = mock.method(scene.identity, "whoami");
  const asBrowser = plain({ cookie: "identity_session=alice", authorization: "Bearer other" });
  const session = await scene.authenticator.browserSession(asBrowser);
  assert.deepEqual(session, { caller: { kind: "user", id: "alice", displayName: "Alice" }, token: "cookie.alice" });
  assert.deepEqual(await scene.who(plain({ authorization: `Bearer ${session?.token}` })), session?.caller);
  const { kind, value } = asked.mock.calls.at(-1)?.arguments[0] ?? {};
  assert.deepEqual({ kind, value }, { kind: "cookie", value: "alice" });
  assert.equal(await scene.authenticator.browserSession(plain({ authorization: "Bearer alice" })), undefined);
  const strange = plain({ cookie: "identity_session=alice", origin: "https://evil.example" }, { method: "POST" });
  await assert.rejects(async () => scene.authenticator.browserSession(strange), because("cross_site"));
});

test("any altered part is refused", async () => {
  const scene = new Scene();
  const good = scene.signed({ method: "POST", body: "hello" });
  const altered = (more: Partial<CredentialedRequest>) => scene.who({ ...good, ...more });
  for (const more of [{ method: "PUT" }, { url: "/other" }, { readBody: () => Buffer.from("hellp") }]) {
    await assert.rejects(altered(more), because("signature_invalid"));
  }
  await assert.rejects(scene.who(scene.signed({ signedUrl: "https://other/api/apps/notes/x" })), because("signature_invalid"));
});

test("unknown apps, small keys, other key types and expired certificates fail like bad signatures", async () => {
  const scene = new Scene();
  scene.keys.set("small", { id: "s", key: small.publicKey });
  scene.keys.set("curve", { id: "c", key: curve.publicKey });
  scene.keys.set("expired", { id: "e", key: rsa.publicKey, validTo: scene.clock.now() - 1 });
  scene.keys.set("future", { id: "f", key: rsa.publicKey, validFrom: scene.clock.now() + 1 });
  const messages = new Set<string>();
  for (const request of [
    scene.signed({ app: "nobody" }),
    scene.signed({ app: "small", key: small.privateKey }),
    scene.signed({ app: "curve", key: curve.privateKey }),
    scene.signed({ app: "expired" }),
    scene.signed({ app: "future" }),
    scene.signed({ key: small.privateKey }),
  ]) {
    await assert.rejects(
      scene.who(request),
      (error: Error) => because("signature_invalid")(error) && Boolean(messages.add(error.message)),
    );
  }
  assert.equal(messages.size, 1);
});

test("a disabled app is refused with the reason, but only if the request has its signature", async () => {
  const scene = new Scene();
  scene.keys.set("clock", { id: "id-clock", key: createPublicKey(rsa.privateKey), isDisabled: true });
  await assert.rejects(scene.who(scene.signed({ method: "POST" })), because("app_disabled"));
  await assert.rejects(scene.who(scene.signed({ key: small.privateKey })), because("signature_invalid"));
  scene.keys.set("clock", { id: "id-clock", key: createPublicKey(rsa.privateKey) });
  assert.deepEqual(await scene.who(scene.signed({ method: "POST" })), clockApp);
});

for (const [age, isAccepted] of [
  [299, true],
  [300, true],
  [301, false],
  [331, false],
  [-29, true],
  [-30, true],
  [-31, false],
] as const) {
  test(`a signature ${age} s old is ${isAccepted ? "accepted" : "refused"}`, async () => {
    const scene = new Scene();
    const answer = scene.who(scene.signed({ at: scene.clock.now() - age * 1_000 }));
    if (isAccepted) assert.deepEqual(await answer, clockApp);
    else await assert.rejects(answer, because("signature_invalid"));
  });
}

test("an unsafe request is accepted once, a safe one repeatedly", async () => {
  const scene = new Scene();
  const [read, write] = [scene.signed(), scene.signed({ method: "POST" })];
  await scene.who(read);
  await scene.who(read);
  await scene.who(write);
  await assert.rejects(scene.who(write), because("signature_replayed"));
  await scene.clock.advance(250_000);
  await assert.rejects(scene.who(write), because("signature_replayed"));
});

test("a signed handshake opens one connection, and a signature of a plain request opens none", async () => {
  const scene = new Scene();
  const handshake = { ...scene.signed({ url: "/api/apps/notes/live" }), isUpgrade: true };
  assert.deepEqual(await scene.who(handshake), clockApp);
  await assert.rejects(scene.who(handshake), because("signature_replayed"));
  const read = scene.signed({ url: "/api/apps/notes/other" });
  await scene.who(read);
  await scene.who(read);
  await assert.rejects(scene.who({ ...read, isUpgrade: true }), because("signature_replayed"));
});

test("a full store of used signatures refuses requests and forgets no signature", async () => {
  const scene = new Scene();
  const cache = new MemoryCache({ clock: scene.clock, maxBytes: 4_000 });
  const full = new Scene({ cache, clock: scene.clock });
  const sign = () => full.signed({ method: "POST", body: String(Math.random()) });
  const first = sign();
  await full.who(first);
  const fill = async () => {
    for (let n = 0; n < 100; n += 1) await full.who(sign());
  };
  await assert.rejects(fill, because("replay_memory_full"));
  await assert.rejects(full.who(first), because("signature_replayed"));
  assert.deepEqual(await full.who(full.signed()), clockApp);
});

test("setting the wall clock back by ten minutes makes no replay valid again", async () => {
  const scene = new Scene();
  const write = scene.signed({ method: "POST" });
  await scene.who(write);
  await scene.clock.advance(640_000);
  scene.clock.jump(-600_000);
  await assert.rejects(scene.who(write), because("signature_replayed"));
});

test("setting the wall clock forward refuses signatures", async () => {
  const scene = new Scene();
  const request = scene.signed();
  scene.clock.jump(600_000);
  await assert.rejects(scene.who(request), because("signature_invalid"));
});

test("one signed string is not accepted as another request", async () => {
  const scene = new Scene();
  const first = iso(scene.clock.now());
  const second = iso(scene.clock.now() - 1_000);
  // Signed: GET /q?s=<first><second>. The other reading: GET /q?s=, at <first>, with the body <second>.
  const honest = scene.signed({ url: `/q?s=${first}`, at: scene.clock.now() - 1_000 });
  await assert.rejects(scene.who(honest), because("signature_invalid"));
  const headers = {
    "x-app-name": "clock",
    "x-app-signature": honest.header("x-app-signature") ?? "",
    "x-request-timestamp": first,
  };
  await assert.rejects(scene.who(plain(headers, { url: "/q?s=", body: second })), because("signature_invalid"));
});

test("a signature costs one RSA operation, whether it is valid or not", async () => {
  const operations = mock.method(crypto, "publicDecrypt");
  syncBuiltinESMExports();
  try {
    const scene = new Scene();
    const costOf = async (request: CredentialedRequest): Promise<number> => {
      const before = operations.mock.callCount();
      await scene.who(request).catch((error: unknown) => assert.ok(because("signature_invalid")(error)));
      return operations.mock.callCount() - before;
    };
    assert.equal(await costOf(scene.signed()), 1);
    assert.equal(await costOf(scene.signed({ signedUrl: "https://h/api/apps/notes/x" })), 1);
    assert.equal(await costOf(scene.signed({ signedUrl: "https://other/api/apps/notes/x" })), 1);
    assert.equal(await costOf(scene.signed({ key: otherRsa.privateKey })), 1);
    assert.equal(await costOf(scene.signed({ app: "nobody" })), 1);
  } finally {
    operations.mock.restore();
    syncBuiltinESMExports();
  }
});

test("bodies are read only for signatures made with the app's key", async () => {
  const scene = new Scene();
  let read = 0;
  const sent = (request: CredentialedRequest) => ({
    ...request,
    readBody: () => {
      read += 1;
      return Buffer.from("hello");
    },
  });
  for (const flaw of [{ app: "nobody" }, { key: small.privateKey }, { key: otherRsa.privateKey }]) {
    await assert.rejects(scene.who(sent(scene.signed({ method: "POST", ...flaw }))), because("signature_invalid"));
  }
  assert.equal(read, 0);
  await scene.who(sent(scene.signed({ method: "POST", body: "hello" })));
  assert.equal(read, 1);
});

test("failed signatures are limited by address and app; an app with a recent valid signature there is not affected by others", async () => {
  const scene = new Scene();
  const from = (request: CredentialedRequest, remoteAddress: string) => scene.who({ ...request, remoteAddress });
  const bad = (app: string) => scene.signed({ app, key: otherRsa.privateKey });
  await from(scene.signed(), "203.0.113.1");
  const untilLimited = async (address: string, name: (n: number) => string): Promise<number> => {
    for (let n = 0; ; n += 1) {
      const error = await from(bad(name(n)), address).then(
        () => assert.fail("a bad signature was accepted"),
        (refused: unknown) => refused,
      );
      if (because("signature_failures")(error)) return n;
      assert.ok(because("signature_invalid")(error));
    }
  };
  assert.equal(await untilLimited("203.0.113.1", () => "victim"), 200);
  assert.equal(await untilLimited("203.0.113.1", (n) => `app${n % 100}`), 800);
  await from(scene.signed(), "203.0.113.1");
  await assert.rejects(from(scene.signed({ app: "newcomer" }), "203.0.113.1"), because("signature_failures"));
  await from(scene.signed(), "203.0.113.2");
  assert.equal(await untilLimited("2001:db8:1:2::1", () => "victim"), 200);
  await assert.rejects(from(bad("victim"), "2001:db8:1:2:ffff::7"), because("signature_failures"));
  await assert.rejects(from(bad("victim"), "2001:db8:1:3::1"), because("signature_invalid"));
  await scene.clock.advance(1_000);
  await assert.rejects(from(bad("victim"), "203.0.113.1"), because("signature_invalid"));
});

test("incomplete, malformed and wrongly dated signature headers are refused before any key is looked up", async () => {
  const scene = new Scene();
  for (const headers of [
    { "x-request-timestamp": "" },
    { "x-app-name": "" },
    { "x-app-signature": "" },
    { "x-app-signature": "!!!!" },
    { "x-app-signature": "QQ" },
    { "x-request-timestamp": "2026-02-30T00:00:00Z" },
    { "x-request-timestamp": "2026-01-01T00:00:00+00:00" },
    { "x-request-timestamp": "2026-01-01 00:00:00Z" },
    { "x-request-timestamp": String(scene.clock.now()) },
  ]) {
    await assert.rejects(scene.who(scene.signed({ headers })), because("credentials_malformed"), JSON.stringify(headers));
  }
});
