import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "@appserver/kernel";
import { CuttableRelay } from "@appserver/testing/kit";
import { identitySuite } from "../../identity.suite.ts";
import { AccountsUnderTest, account } from "../test/accounts-under-test.ts";

identitySuite("accounts", async () => {
  const accounts = await AccountsUnderTest.open();
  const relay = await CuttableRelay.to(accounts.database.connection);
  const server = await accounts.server({ connection: { ...accounts.database.connection, port: relay.port } });
  return {
    identity: server.identity.provider,
    startSession: async () => {
      const { browser, userId, displayName, email } = await account(server);
      const value = browser.token ?? "";
      return {
        credentials: [
          { kind: "cookie", value },
          { kind: "bearer", value },
        ],
        userId,
        displayName,
        email,
        end: async () => {
          const headers = { cookie: `${server.identity.provider.sessionCookieName}=${value}` };
          await server.identity.signIn.signOut({ headers } as never, { path: "/", url: "https://platform.test/" });
        },
      };
    },
    cutOff: async () => relay.cut(),
    close: async () => {
      relay.stop();
      await accounts.close();
    },
  };
});

describe("people", () => {
  it("are found by a part of their name or address, and by id", async () => {
    const accounts = await AccountsUnderTest.open();
    const server = await accounts.server();
    const { email, userId, displayName } = await account(server);
    const person = { userId, displayName, email, isActive: true };
    const { provider, idOf } = server.identity;
    assert.deepEqual(await provider.find({ search: email.slice(0, -5).toUpperCase(), limit: 5 }), [person]);
    assert.deepEqual(await provider.find({ search: "", limit: 5 }), [person]);
    assert.deepEqual(await provider.find({ ids: [userId, "no id"] }), [person]);
    assert.equal(await idOf(email.toLowerCase()), userId);
    await assert.rejects(idOf("unknown@example.test"), (error) => error instanceof AppError && error.code === "NOT_FOUND");
    await accounts.close();
  });
});
