import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { platformTools, toolsWithoutApp } from "@appserver/contracts/operations";
import { errorOf, jsonOf, type PlatformUnderTest, send, startPlatform, testApp, uniqueName } from "@appserver/testing/kit";
import type { Agent } from "./agent.ts";
import {
  answerOf,
  authorizeUrl as authorizeUrlOf,
  type Choice,
  callback,
  consentPageOf,
  redemption,
  signedInAgent,
  type Tokens,
  verifier,
} from "./agent-sign-in.ts";
import { purgeApp } from "./commands.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };
const agents = "/oauth/agents";

/** docs/interface/mcp.md#consent */
describe("the sign-in of programs that run language models", () => {
  let platform: PlatformUnderTest;
  let cookie: string;
  const open: Agent[] = [];
  const [own, other] = [uniqueName("com.example.own"), uniqueName("com.example.other")];
  before(async () => {
    platform = await startPlatform();
    for (const name of [own, other]) {
      const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
      await platform.register(await testApp({ name, web_app: { api } }));
      await platform.client().marketplace.installApp({ name });
    }
    cookie = await platform.login("admin");
  });
  after(async () => {
    for (const agent of open) await agent.close();
    for (const name of [own, other]) await purgeApp(platform, name);
    await platform?.stop();
  });

  const signedIn = async (choice: Choice = {}) => {
    const signed = await signedInAgent(platform, cookie, choice);
    open.push(signed.agent);
    return signed;
  };
  const consents = async (): Promise<readonly Consent[]> => {
    const { items } = jsonOf(await send(platform.httpUrl, "/api/v2/viewer/agents", { headers: { cookie } })) as {
      readonly items: readonly Consent[];
    };
    return items;
  };
  const revoke = (id: string, as = cookie) =>
    send(platform.httpUrl, `/api/v2/viewer/agents/${id}`, { method: "DELETE", headers: { cookie: as } });
  const tokenRequest = (fields: Readonly<Record<string, string>>) =>
    send(platform.httpUrl, `${agents}/token`, { method: "POST", headers: form, body: String(new URLSearchParams(fields)) });
  const listTools = (token: string) =>
    send(platform.httpUrl, "/mcp", {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
  const register = (metadata: object) =>
    send(platform.httpUrl, `${agents}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    });
  const registered = async (): Promise<string> => {
    const answer = await register({ client_name: "Raw", redirect_uris: [callback] });
    assert.equal(answer.status, 201, answer.text);
    return (jsonOf(answer) as { readonly client_id: string }).client_id;
  };
  const authorizeUrl = (clientId: string, more: Readonly<Record<string, string>> = {}): URL =>
    authorizeUrlOf(platform, clientId, more);

  test("a program signs in by the addresses that the platform names, acts, and ends when its person takes that back", async () => {
    const { agent, tokens, clientId } = await signedIn();
    const viewer = (await agent.call("viewer", {})) as { readonly kind: string; readonly displayName: string };
    assert.deepEqual([viewer.kind, viewer.displayName], ["user", "Ada Admin"]);
    const [consent] = await consents();
    assert.ok(consent);
    assert.deepEqual(
      [consent.clientName, consent.apps, consent.isReadOnly, typeof consent.usedAt],
      ["Test client", null, false, "string"],
    );
    assert.equal((await revoke(consent.id, await platform.login("bob"))).status, 404);
    assert.equal((await revoke(consent.id)).status, 200);
    const { access_token: token, refresh_token: refresh } = tokens;
    const refused = await listTools(token);
    assert.equal(refused.status, 401);
    assert.match(refused.headers["www-authenticate"] ?? "", /error="invalid_token", resource_metadata="http:.*"/);
    assert.equal(
      (await tokenRequest({ grant_type: "refresh_token", refresh_token: refresh, client_id: clientId })).status,
      400,
    );
  });

  test("an agent that may only read changes nothing, by any verb", async () => {
    const { agent } = await signedIn({ effect: "read" });
    const names = (await agent.tools()).map(({ name }) => name);
    assert.ok(names.includes("apps") && !names.includes("installApp"), names.join());
    for (const [name, { effect }] of Object.entries(platformTools)) {
      if (effect === "read") continue;
      assert.equal((await agent.failure(name, {})).code, "PERMISSION_DENIED", name);
      assert.equal((await agent.failure("call_tool", { name, arguments: {} })).code, "PERMISSION_DENIED", name);
    }
  });

  test("an agent with some apps does nothing on others, nor on the platform", async () => {
    const { agent } = await signedIn({ apps: [own] });
    await agent.call("app", { id: own });
    const values = (app: string) => ({ id: app, values: {} });
    await agent.call("settings", { id: own });
    for (const name of ["settings", "appLogs"])
      assert.equal((await agent.failure(name, { id: other })).code, "PERMISSION_DENIED");
    assert.equal((await agent.failure("updateSettings", values(other))).code, "PERMISSION_DENIED", "already the plan");
    for (const name of Object.keys(platformTools)) {
      if (name in toolsWithoutApp) continue;
      assert.match((await agent.failure("call_tool", { name, arguments: {} })).code, /^PERMISSION_DENIED$/, name);
    }
    await agent.call("approvals", { id: own });
    assert.equal((await agent.failure("approvals", { id: other })).code, "PERMISSION_DENIED");
    const operationOf = async (app: string): Promise<string> => {
      const { operation } = jsonOf(await send(platform.httpUrl, `/api/v2/apps/${app}`, { headers: { cookie } })) as {
        readonly operation: { readonly id: string };
      };
      return operation.id;
    };
    assert.match(await agent.text("operation", { id: await operationOf(own) }), /"kind":"install"/);
    assert.equal((await agent.failure("operation", { id: await operationOf(other) })).code, "PERMISSION_DENIED");
    for (const name of ["viewer", "apps", "gallery", "health"]) await agent.call(name, {});
  });

  test("what was denied, and what was not decided by its person, gives nothing", async () => {
    const url = authorizeUrl(await registered());
    assert.equal((await answerOf(platform, cookie, url, { decision: "deny" })).searchParams.get("error"), "access_denied");
    const { page, path, cookies } = await consentPageOf(platform, cookie, url);
    const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const decide = (headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) =>
      send(platform.httpUrl, path, {
        method: "POST",
        headers: { ...form, "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin", ...headers },
        body: String(new URLSearchParams({ ticket, effect: "act", where: "all", days: "30", decision: "allow", ...more })),
      });
    assert.equal((await decide({ cookie: cookies, "sec-fetch-mode": "cors" })).status, 403);
    assert.equal(
      (await decide({ cookie: cookies, origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status,
      403,
    );
    assert.equal((await decide({ cookie: cookies }, { ticket: "forged" })).status, 400);
    const requestCookies = cookies.replace(cookie, "");
    assert.equal((await decide({ cookie: requestCookies })).status, 401);
    const ofBob = `${await platform.login("bob")}; ${requestCookies}`;
    assert.equal((await decide({ cookie: ofBob })).status, 400, "the sign-in is another person's");
    const resume = path.replace("/consent/", "/authorize/");
    assert.equal((await send(platform.httpUrl, resume, { headers: { cookie: ofBob } })).status, 403);
    assert.equal((await decide({ cookie: cookies }, { where: "apps", app: "com.example.none" })).status, 400);
    assert.equal((await decide({ cookie: cookies })).status, 400, "the ticket was used by that");
  });

  test("the page says what the program is not, and its name cannot become part of the page", async () => {
    const answer = await register({ client_name: "<b>Appserver</b>\u202e", redirect_uris: [callback] });
    const { client_id: clientId } = jsonOf(answer) as { readonly client_id: string };
    const { page } = await consentPageOf(platform, cookie, authorizeUrl(clientId));
    assert.ok(page.includes("&lt;b&gt;Appserver&lt;/b&gt;") && !page.includes("\u202e"), page);
    assert.match(page, /nothing proves who made it/);
    assert.match(page, /127\.0\.0\.1:43919/);
  });

  test("a token is for this platform only, a code for its program and its verifier, and each is used once", async () => {
    const [clientId, stranger] = [await registered(), await registered()];
    const foreign = await send(platform.httpUrl, pathOf(authorizeUrl(clientId, { resource: "https://other.example/mcp" })), {
      headers: { cookie },
    });
    assert.equal(foreign.status, 400);
    assert.match(foreign.text, /resource must be http/);
    const codeOf = async () => (await answerOf(platform, cookie, authorizeUrl(clientId), {})).searchParams.get("code") ?? "";
    const redeem = (code: string, more: Readonly<Record<string, string>> = {}) =>
      tokenRequest(Object.fromEntries(redemption(code, clientId, more)));
    for (const wrong of [{ client_id: stranger }, { code_verifier: "w".repeat(43) }, { redirect_uri: `${callback}x` }])
      assert.equal((await redeem(await codeOf(), wrong)).status, 400, JSON.stringify(wrong));
    const code = await codeOf();
    const answer = await redeem(code);
    assert.equal(answer.status, 200, answer.text);
    const { access_token: token, refresh_token: refresh } = jsonOf(answer) as Tokens;
    assert.equal((await listTools(token)).status, 200);
    // Anywhere else it is no credential.
    const elsewhere = await send(platform.httpUrl, "/api/v2/viewer", { headers: { authorization: `Bearer ${token}` } });
    assert.equal(errorOf(elsewhere).code, "AUTHENTICATION_FAILED");
    const renewed = await tokenRequest({ grant_type: "refresh_token", refresh_token: refresh, client_id: clientId });
    const { access_token: next } = jsonOf(renewed) as Tokens;
    assert.equal((await listTools(next)).status, 200);
    const again = () => tokenRequest({ grant_type: "refresh_token", refresh_token: refresh, client_id: clientId });
    assert.equal((await again()).status, 200, "programs send requests at the same time");
    // Later, a refresh token that is used twice was stolen once: all ends.
    await setTimeout(10_500);
    assert.equal((await again()).status, 400);
    assert.equal((await listTools(next)).status, 401);
    const spent = await codeOf();
    const outcomes = await Promise.all([redeem(spent), redeem(spent)]);
    assert.ok(
      outcomes.some(({ status }) => status === 400),
      "a code gives tokens once",
    );
    assert.equal((await redeem(code)).status, 400);
  });

  test("without PKCE, with another address, without a session, and for a resource elsewhere nothing begins", async () => {
    const clientId = await registered();
    const begin = (url: URL, headers: Readonly<Record<string, string>> = { cookie }, path = pathOf(url)) =>
      send(platform.httpUrl, path, { headers });
    const plain = authorizeUrl(clientId);
    plain.searchParams.delete("code_challenge");
    plain.searchParams.delete("code_challenge_method");
    assert.equal((await begin(plain)).status, 400);
    const twice = authorizeUrl(clientId);
    twice.searchParams.append("redirect_uri", "https://evil.example/");
    assert.equal((await begin(twice)).status, 400);
    assert.equal((await begin(authorizeUrl(clientId, { redirect_uri: "https://evil.example/" }))).status, 400);
    const named = authorizeUrl(clientId);
    for (const path of [
      "AUTHORIZE",
      "authorize/",
      "authorize//",
      "Authorize",
      "authorize/%2e%2e",
      "authorize%2f",
      "keys",
      "jwks",
    ])
      for (const headers of [{}, { cookie }])
        assert.equal((await begin(named, headers, `${agents}/${path}${named.search}`)).status, 404, path);
    assert.equal((await begin(authorizeUrl(clientId, { state: "\0" }))).status, 400);
    const unsigned = await begin(authorizeUrl(clientId), {});
    assert.match(unsigned.headers.location ?? "", /^\/console\/sign-in\?return_to=%2Foauth%2Fagents%2Fauthorize/);
  });

  test("programs that register themselves are bounded, and cannot have more than a page shows", async () => {
    for (const metadata of [
      { redirect_uris: ["http://evil.example/callback"] },
      { redirect_uris: ["http://evil.example/callback"], application_type: "web" },
      { redirect_uris: ["http://localhost.evil.example/callback"], application_type: "web" },
      { redirect_uris: ["HTTP://evil.example/callback"], application_type: "web" },
      { redirect_uris: [" http://evil.example/callback"], application_type: "web" },
      { redirect_uris: ["http://localhost:x@evil.example/callback"], application_type: "web" },
      { redirect_uris: ["javascript:alert(1)"] },
      { redirect_uris: [callback], client_name: "\0" },
      { redirect_uris: [callback], client_name: "x".repeat(9_000) },
      { redirect_uris: [callback], grant_types: ["password"] },
      { redirect_uris: [callback], token_endpoint_auth_method: "client_secret_basic" },
    ])
      assert.equal((await register(metadata)).status, 400, JSON.stringify(metadata).slice(0, 80));
    assert.ok(!(await register({ redirect_uris: [callback] })).text.includes("secret"), "programs have no secrets");
    const sector = {
      redirect_uris: ["https://c.example/"],
      application_type: "web",
      sector_identifier_uri: "https://10.0.0.5/x",
    };
    assert.doesNotMatch((await register(sector)).text, /200 OK|failed to load/);
  });

  test("a stranger makes the platform read no description of a program", async () => {
    const clientId = "https://client.example/metadata.json";
    const { status, text } = await tokenRequest({
      grant_type: "authorization_code",
      code: "x",
      redirect_uri: callback,
      client_id: clientId,
      code_verifier: verifier,
    });
    assert.equal(status, 400, text);
    assert.match(text, /not allowed/);
  });
});

interface Consent {
  readonly id: string;
  readonly clientName: string;
  readonly apps: readonly string[] | null;
  readonly isReadOnly: boolean;
  readonly usedAt: string | null;
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search;
}
