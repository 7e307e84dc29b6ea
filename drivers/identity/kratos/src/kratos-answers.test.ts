import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { isAppError, SystemClock, silentLogger } from "@appserver/kernel";
import { plainSeal, rejectsWith } from "@appserver/testing/kit";
import { driver } from "./driver.ts";
import { KratosIdentity } from "./kratos-identity.ts";

/** Responses that a real Kratos sends only when it has a fault, and data that it must never receive. */
describe("KratosIdentity: responses", () => {
  const credential = { kind: "cookie", value: "abc=" } as const;
  const session = { active: true, identity: { id: "u1", traits: { username: "ann" } } };
  const requests: IncomingMessage[] = [];
  let answer: (response: ServerResponse) => void;
  let publicUrl: string;
  let identity: KratosIdentity;
  const server = createServer((request, response) => {
    requests.push(request);
    answer(response);
  });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kratos/`;
    identity = new KratosIdentity({ publicUrl, sessionCookieName: "own_session", timeoutMs: 10_000 });
  });
  after(async () => {
    await identity.stop();
    server.closeAllConnections();
    server.close();
  });

  function answering(status: number, body: unknown): void {
    requests.length = 0;
    answer = (response) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
  }

  it("has the name of Kratos' cookie, unless an option names another one", async () => {
    const options = { publicUrl, adminUrl: undefined, browserUrl: undefined };
    const context = {
      platformName: "Acme",
      clock: new SystemClock(),
      logger: silentLogger,
      database: () => Promise.reject(new Error("unused")),
      seal: plainSeal,
    };
    for (const [sessionCookieName, expected] of [
      [undefined, "ory_kratos_session"],
      ["another", "another"],
    ] as const) {
      const { provider } = await driver.open(options, { ...context, sessionCookieName });
      assert.equal(provider.sessionCookieName, expected);
      await provider.stop?.();
    }
  });

  it("sends the credential and nothing else", async () => {
    answering(200, session);
    await identity.whoami(credential);
    await identity.whoami({ kind: "bearer", value: "token" });
    const seen = requests.map(({ method, url, headers }) => {
      const { host, connection, ...rest } = headers;
      return { method, url, headers: rest };
    });
    const [method, url, accept] = ["GET", "/kratos/sessions/whoami", "application/json"];
    assert.deepEqual(seen, [
      { method, url, headers: { accept, cookie: "own_session=abc=" } },
      { method, url, headers: { accept, "x-session-token": "token" } },
    ]);
  });

  it("takes the display name and the address from the available traits", async () => {
    const names: [unknown, string, string?][] = [
      [{ name: "Ann B", email: "a@x" }, "Ann B", "a@x"],
      [{ name: { first: "Ann", last: "B" } }, "Ann B"],
      [{ name: { last: "B" }, email: "a@x" }, "B", "a@x"],
      [{ name: {}, email: "a@x", username: "ann" }, "a@x", "a@x"],
      [{ username: "ann" }, "ann"],
      [{ name: 3, email: "" }, "u1"],
      [undefined, "u1"],
    ];
    for (const [traits, expected, email] of names) {
      answering(200, { identity: { id: "u1", traits } });
      assert.deepEqual(await identity.whoami(credential), {
        userId: "u1",
        displayName: expected,
        ...(email !== undefined && { email }),
      });
    }
  });

  it("refuses a session that is no longer active", async () => {
    answering(200, { ...session, active: false });
    await assert.rejects(identity.whoami(credential), (error) => isAppError(error, "AUTHENTICATION_FAILED"));
  });

  it("returns where the user can give the second factor", async () => {
    const redirectTo = "https://id.example.test/login?aal=aal2";
    answering(403, { error: { id: "session_aal2_required", code: 403 }, redirect_browser_to: redirectTo });
    await assert.rejects(identity.whoami(credential), (error) => {
      assert.ok(isAppError(error, "PERMISSION_DENIED"));
      assert.deepEqual(error.details, { reason: "session_aal2_required", redirectTo });
      return true;
    });
    answering(403, "<html>");
    await assert.rejects(identity.whoami(credential), (error) => isAppError(error, "PERMISSION_DENIED"));
  });

  it("throws SERVICE_UNAVAILABLE for every other response, and never returns an anonymous caller", async () => {
    const others: [number, unknown][] = [
      [200, "<html>log in</html>"],
      [200, {}],
      [200, { active: true, identity: { id: "" } }],
      [200, []],
      [204, ""],
      [302, ""],
      [400, { error: {} }],
      [404, "no such path"],
      [429, {}],
      [500, {}],
      [502, "bad gateway"],
      [503, {}],
      [200, `"${"x".repeat(2_000_000)}"`],
    ];
    for (const [status, body] of others) {
      answering(status, body);
      await assert.rejects(identity.whoami(credential), rejectsWith("SERVICE_UNAVAILABLE"), String(status));
    }
    answering(503, {});
    await assert.rejects(identity.ping(), rejectsWith("SERVICE_UNAVAILABLE"));
    await assert.rejects(identity.ping(), { dependency: "identity" });
  });

  it("throws SERVICE_UNAVAILABLE at its deadline, and for a truncated response", async () => {
    const hasty = new KratosIdentity({ publicUrl, sessionCookieName: "ory_kratos_session", timeoutMs: 50 });
    requests.length = 0;
    answer = () => {};
    await assert.rejects(hasty.whoami(credential), rejectsWith("SERVICE_UNAVAILABLE"));
    await assert.rejects(hasty.ping(), rejectsWith("SERVICE_UNAVAILABLE"));
    assert.ok(requests.length <= 2, "one request each: the deadline leaves no time for another");
    answer = (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      response.destroy();
    };
    await assert.rejects(identity.whoami(credential), rejectsWith("SERVICE_UNAVAILABLE"));
    await hasty.stop();
  });

  it("retries once after a lost connection, and not more", async () => {
    requests.length = 0;
    answer = (response) => {
      if (requests.length === 1) response.destroy();
      else response.end(JSON.stringify(session));
    };
    assert.equal((await identity.whoami(credential)).userId, "u1");
    requests.length = 0;
    answer = (response) => response.destroy();
    await assert.rejects(identity.whoami(credential), rejectsWith("SERVICE_UNAVAILABLE"));
    assert.equal(requests.length, 2);
  });

  it("never sends a value that a cookie cannot hold", async () => {
    answering(200, session);
    for (const value of ["", "a b", "a;b", "a,b", 'a"b', "a\\b", "a\r\nx-other: b", "\u{1F511}"]) {
      for (const kind of ["cookie", "bearer"] as const) {
        await assert.rejects(identity.whoami({ kind, value }), (error) => isAppError(error, "AUTHENTICATION_FAILED"));
      }
    }
    assert.equal(requests.length, 0);
  });
});
