import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { isAppError } from "@appserver/kernel";
import type { SessionCredential } from "@appserver/kernel/ports";
import { ensureKratos, startPrivateKratos } from "../../../../tools/services/kratos.ts";
import { KratosAccounts } from "../../../../tools/services/kratos-accounts.ts";
import { identitySuite } from "../../identity.suite.ts";
import { KratosIdentity } from "./kratos-identity.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-kratos-"));
const server = await ensureKratos();
const skip = "unavailable" in server ? server.unavailable : false;
after(async () => {
  if (!("unavailable" in server)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

identitySuite(
  "Kratos",
  async () => {
    const own = await startPrivateKratos(join(folder, "suite"));
    if ("unavailable" in own) throw new Error(own.unavailable);
    const accounts = new KratosAccounts(own);
    const identity = new KratosIdentity({
      publicUrl: own.publicUrl,
      sessionCookieName: "ory_kratos_session",
      timeoutMs: 10_000,
    });
    return {
      identity,
      startSession: async () => {
        const account = await accounts.create({ first: "Alice", last: "Reader" });
        return {
          credentials: [
            { kind: "cookie", value: await accounts.logInForCookie(account) },
            { kind: "bearer", value: await accounts.logInForToken(account) },
          ],
          userId: account.id,
          displayName: "Alice Reader",
          email: account.email,
          end: () => accounts.endSessions(account),
        };
      },
      cutOff: () => own.stop(),
      close: () => identity.stop(),
    };
  },
  { skip },
);

describe("KratosIdentity", { skip }, () => {
  const addresses = "unavailable" in server ? { publicUrl: "http://127.0.0.1", adminUrl: "http://127.0.0.1" } : server;
  const accounts = new KratosAccounts(addresses);
  const identity = new KratosIdentity({
    publicUrl: addresses.publicUrl,
    sessionCookieName: "ory_kratos_session",
    timeoutMs: 10_000,
  });
  after(() => identity.stop());

  it("uses the address of users without a name, and returns when the session ends", async () => {
    const account = await accounts.create();
    const session = await identity.whoami({ kind: "bearer", value: await accounts.logInForToken(account) });
    assert.equal(session.displayName, account.email);
    const hours = ((session.expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
    assert.ok(hours > 23 && hours <= 24, `${hours} hours`);
  });

  it("throws PERMISSION_DENIED with details for a session that needs a second factor", async () => {
    const account = await accounts.create();
    const credentials: SessionCredential[] = [
      { kind: "cookie", value: await accounts.logInForCookie(account) },
      { kind: "bearer", value: await accounts.logInForToken(account) },
    ];
    await accounts.addSecondFactor(await accounts.logInForToken(account));
    for (const credential of credentials) {
      await assert.rejects(
        identity.whoami(credential),
        (error) => isAppError(error, "PERMISSION_DENIED") && error.details["reason"] === "session_aal2_required",
      );
    }
  });

  it("does not accept a cookie as a token or a token as a cookie", async () => {
    const account = await accounts.create();
    const [cookie, token] = [await accounts.logInForCookie(account), await accounts.logInForToken(account)];
    for (const credential of [
      { kind: "bearer", value: cookie },
      { kind: "cookie", value: token },
    ] as const) {
      await assert.rejects(identity.whoami(credential), (error) => isAppError(error, "AUTHENTICATION_FAILED"));
    }
  });

  it("finds no user for a cookie that has another name in Kratos", async () => {
    const other = new KratosIdentity({ publicUrl: addresses.publicUrl, sessionCookieName: "other_session" });
    const value = await accounts.logInForCookie(await accounts.create());
    await assert.rejects(other.whoami({ kind: "cookie", value }), (error) => isAppError(error, "AUTHENTICATION_FAILED"));
    await other.stop();
  });
});
