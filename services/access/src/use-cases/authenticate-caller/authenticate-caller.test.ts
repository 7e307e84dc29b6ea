import assert from "node:assert/strict";
import crypto, { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { mock, test } from "node:test";
import { MemoryCache } from "@appserver/cache-memory";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { signedMessage } from "@appserver/contracts/signature";
import type { Caller, CredentialedRequest } from "@appserver/kernel";
import { type ReasonId, Refusal } from "@appserver/kernel";
import { FakeClock, MapCache, MapIdentity, RecordingMetrics } from "@appserver/testing/kit";
import type { AppKey } from "../../ports.ts";
import { type CallerAuthenticatorDeps, createCallerAuthenticator } from "./authenticate-caller.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const otherRsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const small = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
const iso = (ms: number): string => new Date(ms).toISOString();

interface Signed {
  readonly method?: string;
  readonly url?: string;
  readonly body?: string;
  readonly at?: number;
  readonly key?: KeyObject;
  readonly app?: string;
  /** The URL that the signer used. */
  readonly signedUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

class Scene {
  readonly clock = new FakeClock();
  readonly cache = new MapCache(this.clock);
  readonly identity = new MapIdentity();
  readonly metrics = new RecordingMetrics();
  readonly keys = new Map<string, AppKey>([["clock", { id: "id-clock", key: createPublicKey(rsa.privateKey) }]]);
  readonly #deps: Partial<CallerAuthenticatorDeps>;

  constructor(deps: Partial<CallerAuthenticatorDeps> = {}) {
    this.#deps = deps;
  }

  readonly #authenticators = new WeakMap<Scene, ReturnType<typeof createCallerAuthenticator>>();

  async who(request: CredentialedRequest): Promise<Caller> {
    const { identity, cache, clock, metrics } = this;
    const apps = { find: (name: string) => this.keys.get(name) };
    const options = { sessionCacheTtlMs: 0, allowedOrigins: [] };
    const known =
      this.#authenticators.get(this) ??
      createCallerAuthenticator({ identity, apps, cache, clock, metrics, ...options, ...this.#deps });
    this.#authenticators.set(this, known);
    return known.authenticate(request);
  }

  signed(signed: Signed = {}): CredentialedRequest {
    const {
      method = "GET",
      url = "/api/apps/notes/x",
      body = "",
      at = this.clock.now(),
      key = rsa.privateKey,
      app = "clock",
    } = signed;
    const timestamp = iso(at);
    const message = signedMessage(method, signed.signedUrl ?? url, timestamp, Buffer.from(body));
    const signature = sign("sha256", message, key).toString("base64");
    const headers = { host: "h", "x-app-name": app, "x-app-signature": signature, "x-request-timestamp": timestamp };
    return plain({ ...headers, ...signed.headers }, { method, url, body });
  }
}

function plain(
  headers: Record<string, string>,
  more: { method?: string; url?: string; body?: string; isUpgrade?: boolean } = {},
) {
  const { method = "GET", url = "/", body = "", isUpgrade = false } = more;
  return { method, url, isUpgrade, header: (name: string) => headers[name], readBody: () => Buffer.from(body) };
}

const because = (reason: ReasonId) => (error: unknown) => error instanceof Refusal && error.reasonId === reason;
const clockApp: Caller = { kind: "app", name: "clock", id: "id-clock" };

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
