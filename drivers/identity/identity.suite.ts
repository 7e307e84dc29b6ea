import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isAppError } from "@appserver/kernel";
import type { IdentityProvider, SessionCredential } from "@appserver/kernel/ports";

export interface SessionUnderTest {
  /** Every form in which a request may carry it. */
  readonly credentials: readonly SessionCredential[];
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  /** Ends it, or waits until it has expired. */
  end(): Promise<void>;
}

export interface IdentityUnderTest {
  readonly identity: IdentityProvider;
  startSession(): Promise<SessionUnderTest>;
  /** Disconnects the driver from its backend. Absent if it has none. */
  readonly cutOff?: () => Promise<void>;
  close?(): Promise<void>;
}

/** Declares the tests that every identity driver has to pass (docs/interface/permissions.md#sessions). */
export function identitySuite(
  name: string,
  open: () => Promise<IdentityUnderTest>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(`identity: ${name}`, { skip: options.skip ?? false }, () => {
    let driver: IdentityUnderTest;

    before(async () => {
      driver = await open();
    });
    after(() => driver.close?.());

    it("has a cookie name that a Cookie header can carry", () => {
      assert.match(driver.identity.sessionCookieName, /^[A-Za-z0-9_-]+$/);
    });

    it("returns the user of a session, as cookie and as bearer token", async () => {
      const { credentials, userId, displayName, email } = await driver.startSession();
      assert.deepEqual(credentials.map(({ kind }) => kind).sort(), ["bearer", "cookie"]);
      for (const credential of credentials) {
        const session = await driver.identity.whoami(credential);
        assert.equal(session.userId, userId);
        assert.equal(session.displayName, displayName);
        assert.equal(session.email, email);
        assert.ok(session.expiresAt && session.expiresAt.getTime() > 0);
      }
    });

    it("refuses an invalid session with AUTHENTICATION_FAILED", async () => {
      const { credentials } = await driver.startSession();
      for (const { kind, value } of credentials) {
        const changed = `${value.startsWith("x") ? "y" : "x"}${value.slice(1)}`;
        const altered = [changed, value.slice(0, -4), `${value}AAAA`, `${value}!`];
        const strange = ["", "nonsense", "a.b.c", "a; b=c", "a\r\nx: y", "\u{1F511}"];
        for (const wrong of [...altered, ...strange]) await failed(driver.identity, { kind, value: wrong }, wrong);
      }
    });

    it("refuses an ended session with AUTHENTICATION_FAILED", async () => {
      const { credentials, end } = await driver.startSession();
      await end();
      for (const credential of credentials) await failed(driver.identity, credential);
    });

    it("responds to a ping", () => driver.identity.ping(5_000));

    // Last, because the driver cannot be used afterwards.
    it("throws SERVICE_UNAVAILABLE when disconnected, and never returns an anonymous caller", async (context) => {
      if (!driver.cutOff) {
        context.skip("this driver has no backend to be cut off from");
        return;
      }
      const { credentials } = await driver.startSession();
      await driver.cutOff();
      for (const credential of credentials) {
        await assert.rejects(
          async () => driver.identity.whoami(credential),
          (error) => isAppError(error, "SERVICE_UNAVAILABLE"),
        );
      }
      await assert.rejects(driver.identity.ping(1_000), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    });
  });
}

function failed(identity: IdentityProvider, credential: SessionCredential, message?: string): Promise<void> {
  return assert.rejects(
    async () => identity.whoami(credential),
    (error) => isAppError(error, "AUTHENTICATION_FAILED"),
    message,
  );
}
