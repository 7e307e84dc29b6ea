import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { KratosIdentity } from "@appserver/identity-kratos";
import { isAppError } from "@appserver/kernel";
import { ensureKratos } from "../../tools/services/kratos.ts";
import { KratosAccounts } from "../../tools/services/kratos-accounts.ts";
import { OpenApiDocument } from "./openapi-document.ts";
import { RecordingProxy } from "./recording-proxy.ts";

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "contract-kratos", "api.json");
const server = existsSync(file) ? await ensureKratos() : { unavailable: "corpora absent" };
const skip = "unavailable" in server ? server.unavailable : false;

describe("our calls to Kratos and its responses match its API document", { skip }, () => {
  let proxy: RecordingProxy;
  let identity: KratosIdentity;

  before(async () => {
    if ("unavailable" in server) return;
    proxy = await RecordingProxy.start(server.publicUrl);
    identity = new KratosIdentity({ publicUrl: proxy.url, sessionCookieName: "ory_kratos_session", timeoutMs: 10_000 });
  });
  after(async () => {
    await identity.stop();
    proxy.stop();
    if (!("unavailable" in server)) await server.stop();
  });

  it("for a valid session, for none, and for one that needs a second factor", async () => {
    assert.ok(!("unavailable" in server));
    const accounts = new KratosAccounts(server);
    const account = await accounts.create({ first: "Ann", last: "Reader" });
    const [cookie, token] = [await accounts.logInForCookie(account), await accounts.logInForToken(account)];
    await identity.ping();
    assert.equal((await identity.whoami({ kind: "cookie", value: cookie })).userId, account.id);
    assert.equal((await identity.whoami({ kind: "bearer", value: token })).userId, account.id);
    await assert.rejects(identity.whoami({ kind: "cookie", value: "none" }), (error) =>
      isAppError(error, "AUTHENTICATION_FAILED"),
    );
    await accounts.addSecondFactor(token);
    const weak = await accounts.logInForToken(account);
    await assert.rejects(identity.whoami({ kind: "bearer", value: weak }), (error) => isAppError(error, "PERMISSION_DENIED"));

    const document = new OpenApiDocument(file);
    assert.deepEqual(
      proxy.calls.flatMap((call) => document.violations(call)),
      [],
    );
    assert.deepEqual(
      proxy.calls.map(({ method, target, status }) => `${method} ${target} ${status}`),
      [
        "GET /health/ready 200",
        "GET /sessions/whoami 200",
        "GET /sessions/whoami 200",
        "GET /sessions/whoami 401",
        "GET /sessions/whoami 403",
      ],
    );
  });

  it("the check reports calls and responses that do not match", () => {
    const document = new OpenApiDocument(file);
    const call = {
      method: "GET",
      target: "/sessions/whoami?as=jwt",
      headers: { "x-user-id": "u" },
      body: "",
      status: 200,
      answer: "{}",
    };
    assert.deepEqual(document.violations(call), [
      "GET /sessions/whoami: header x-user-id is not declared",
      "GET /sessions/whoami: query parameter as is not declared",
      "GET /sessions/whoami: answer.id is missing",
    ]);
  });
});
