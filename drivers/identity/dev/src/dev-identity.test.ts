import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { isAppError } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import { identitySuite } from "../../identity.suite.ts";
import { DevIdentity } from "./dev-identity.ts";
import { signSession } from "./session-token.ts";

const day = 24 * 3600 * 1000;

identitySuite("dev", async () => {
  const clock = new FakeClock();
  const identity = new DevIdentity({ environment: "dev", secret: randomBytes(32), clock });
  return {
    identity,
    startSession: async () => {
      const { token: value } = identity.login("alice");
      return {
        credentials: [
          { kind: "cookie", value },
          { kind: "bearer", value },
        ],
        userId: "alice",
        displayName: "Alice Reader",
        email: "alice@example.com",
        end: () => clock.advance(day),
      };
    },
  };
});

test("it refuses to start outside dev, or with a weak secret", () => {
  const options = { secret: randomBytes(32), clock: new FakeClock() };
  for (const environment of ["production", "", undefined]) {
    assert.throws(() => new DevIdentity({ ...options, environment: environment as "dev" }), /only in the environment dev/);
  }
  assert.throws(() => new DevIdentity({ ...options, environment: "dev", secret: randomBytes(31) }), RangeError);
});

test("a session lasts 24 hours, and survives a restart with the same secret", async () => {
  const secret = randomBytes(32);
  const clock = new FakeClock();
  const { token } = new DevIdentity({ environment: "dev", secret, clock }).login("admin");
  const restarted = new DevIdentity({ environment: "dev", secret, clock });
  await clock.advance(day - 1);
  const session = await restarted.whoami({ kind: "cookie", value: token });
  assert.equal(session.userId, "admin");
  assert.equal(session.expiresAt?.getTime(), clock.now() + 1);
  await clock.advance(1);
  await failed(restarted.whoami({ kind: "cookie", value: token }));
});

test("a session that was ended is refused, and another one of the same user is not", async () => {
  const identity = new DevIdentity({ environment: "dev", secret: randomBytes(32), clock: new FakeClock() });
  const [ended, other] = [identity.login("alice").token, identity.login("alice").token];
  identity.end(ended);
  identity.end("dev1.x.y");
  for (const kind of ["cookie", "bearer"] as const) await failed(identity.whoami({ kind, value: ended }));
  assert.equal((await identity.whoami({ kind: "cookie", value: other })).userId, "alice");
});

test("a session signed with another secret, or of a removed user, is refused", async () => {
  const secret = randomBytes(32);
  const clock = new FakeClock();
  const identity = new DevIdentity({ environment: "dev", secret, clock });
  const expiresAt = clock.now() + day;
  const forged = signSession({ userId: "admin", expiresAt }, randomBytes(32));
  await failed(identity.whoami({ kind: "bearer", value: forged }));
  await failed(identity.whoami({ kind: "bearer", value: signSession({ userId: "mallory", expiresAt }, secret) }));
});

test("login sets a cookie that scripts cannot read and other sites do not send with POSTs", () => {
  const { token, cookie } = new DevIdentity({ environment: "dev", secret: randomBytes(32), clock: new FakeClock() }).login(
    "bob",
  );
  assert.equal(cookie, `identity_session=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400`);
});

test("an unknown user is refused, and the error names the known ones", () => {
  const identity = new DevIdentity({ environment: "dev", secret: randomBytes(32), clock: new FakeClock() });
  assert.throws(
    () => identity.login("carol"),
    (error) => isAppError(error, "INVALID_REQUEST") && /known: admin, alice, bob/.test(error.message),
  );
});

test("the login page offers every user, escaped, and contains no other visible input", () => {
  const users = [{ id: "eve", displayName: '<script>"&', about: "listens <b>" }];
  const page = new DevIdentity({ environment: "dev", secret: randomBytes(32), clock: new FakeClock(), users }).loginPage(
    '/?a="b',
  );
  assert.match(page, /<form method="post" action="\/dev\/login"/);
  assert.match(page, /name="user" value="eve">&lt;script&gt;&quot;&amp; <span>listens &lt;b&gt;<\/span></);
  assert.match(page, /<input type="hidden" name="return_to" value="\/\?a=&quot;b">/);
  assert.doesNotMatch(page, /<script|@import|url\(|\son\w+=|https?:|src="(?!\/branding\/logo")/);
});

function failed(work: Promise<unknown>): Promise<void> {
  return assert.rejects(work, (error) => isAppError(error, "AUTHENTICATION_FAILED"));
}
