import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isAppError } from "@appserver/kernel";
import type { IdentityProvider } from "@appserver/kernel/ports";

export interface IdentityUnderTest {
  readonly identity: IdentityProvider;
  /** Starts a session and answers its credential's value, with who stands behind it. */
  startSession(): Promise<{ readonly value: string; readonly userId: string; readonly displayName: string }>;
  /** Ends a session, or lets the time pass until it has expired. */
  endSession(value: string): Promise<void>;
  /** Cuts the driver off from its backend. Absent where there is none. */
  readonly cutOff?: () => Promise<void>;
  close?(): Promise<void>;
}

/** Declares what every driver of the family promises (specification §5). */
export function identitySuite(name: string, open: () => Promise<IdentityUnderTest>): void {
  describe(`identity: ${name}`, () => {
    let driver: IdentityUnderTest;

    before(async () => {
      driver = await open();
    });
    after(() => driver.close?.());

    it("names its cookie in a form that a Cookie header can carry", () => {
      assert.match(driver.identity.sessionCookieName, /^[A-Za-z0-9_-]+$/);
    });

    it("knows who stands behind a session, as cookie and as bearer token", async () => {
      const { value, userId, displayName } = await driver.startSession();
      for (const kind of ["cookie", "bearer"] as const) {
        const session = await driver.identity.whoami({ kind, value });
        assert.equal(session.userId, userId);
        assert.equal(session.displayName, displayName);
      }
    });

    it("refuses what is no session with AUTHENTICATION_FAILED", async () => {
      const { value } = await driver.startSession();
      const changed = `${value.startsWith("x") ? "y" : "x"}${value.slice(1)}`;
      for (const wrong of ["", "nonsense", "a.b.c", changed, value.slice(0, -4), `${value}AAAA`, `${value}!`, "\u{1F511}"]) {
        for (const kind of ["cookie", "bearer"] as const) await failed(driver.identity.whoami({ kind, value: wrong }), wrong);
      }
    });

    it("refuses a session that has ended with AUTHENTICATION_FAILED", async () => {
      const { value } = await driver.startSession();
      await driver.endSession(value);
      await failed(driver.identity.whoami({ kind: "cookie", value }));
    });

    it("answers a ping", () => driver.identity.ping(5_000));

    // Last, since the driver is of no use afterwards.
    it("says SERVICE_UNAVAILABLE when cut off, never that there is nobody", async (context) => {
      if (!driver.cutOff) {
        context.skip("this driver has no backend to be cut off from");
        return;
      }
      const { value } = await driver.startSession();
      await driver.cutOff();
      await assert.rejects(driver.identity.whoami({ kind: "cookie", value }), (error) =>
        isAppError(error, "SERVICE_UNAVAILABLE"),
      );
      await assert.rejects(driver.identity.ping(1_000), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    });
  });
}

function failed(work: Promise<unknown>, message?: string): Promise<void> {
  return assert.rejects(work, (error) => isAppError(error, "AUTHENTICATION_FAILED"), message);
}
