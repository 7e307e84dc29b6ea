import assert from "node:assert/strict";
import { jsonOf, type PlatformUnderTest, send } from "@appserver/testing/kit";
import { Agent } from "./agent.ts";

/** What a person chooses on the page of consent. */
export interface Choice {
  readonly effect?: "read" | "act";
  readonly apps?: readonly string[];
  readonly decision?: "allow" | "deny";
}

/** How a browser loads a page, and sends its forms. */
const browser = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" };
export const callback = "http://127.0.0.1:43919/callback";

/** With its SHA-256. */
export const verifier = "v".repeat(43);
const challenge = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface SignedIn {
  readonly agent: Agent;
  readonly tokens: Tokens;
  readonly clientId: string;
}

/**
 * Signs a program in for a person by the addresses that the platform names, and returns its connection. The official packages, which
 * refuse tokens over HTTP from another machine, are in testing/production/agents.
 */
export async function signedInAgent(platform: PlatformUnderTest, cookie: string, choice: Choice = {}): Promise<SignedIn> {
  const at = async (url: string, init: Parameters<typeof send>[2] = {}) => {
    const { pathname, search, origin } = new URL(url);
    assert.equal(origin, platform.httpUrl);
    return await send(platform.httpUrl, pathname + search, init);
  };
  const { headers } = await send(platform.httpUrl, "/mcp", { method: "POST" });
  const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(headers["www-authenticate"] ?? "") ?? [];
  const resource = jsonOf(await at(metadata)) as {
    readonly resource: string;
    readonly authorization_servers: readonly string[];
  };
  const document = `${resource.authorization_servers[0]}/.well-known/oauth-authorization-server`;
  const server = jsonOf(await at(document)) as Readonly<Record<string, string>>;
  const registered = await at(server["registration_endpoint"] ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Test client", redirect_uris: [callback], scope: "read act" }),
  });
  const { client_id: clientId } = jsonOf(registered) as { readonly client_id: string };
  const url = authorizeUrl(platform, clientId, { resource: resource.resource });
  assert.equal(url.origin + url.pathname, server["authorization_endpoint"]);
  const answer = await answerOf(platform, cookie, url, choice);
  assert.equal(answer.searchParams.get("iss"), server["issuer"]);
  const redeemed = await at(server["token_endpoint"] ?? "", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: String(redemption(answer.searchParams.get("code") ?? "", clientId)),
  });
  assert.equal(redeemed.status, 200, redeemed.text);
  const tokens = jsonOf(redeemed) as Tokens;
  return { agent: await Agent.of(platform, tokens.access_token), tokens, clientId };
}

/** Returns the address with which a program begins. */
export function authorizeUrl(
  { httpUrl }: PlatformUnderTest,
  clientId: string,
  more: Readonly<Record<string, string>> = {},
): URL {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: callback,
    state: "s",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  });
  return new URL(`/oauth/agents/authorize?${query}`, httpUrl);
}

/** Returns what a program sends for its tokens. */
export function redemption(code: string, clientId: string, more: Readonly<Record<string, string>> = {}): URLSearchParams {
  return new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    client_id: clientId,
    code_verifier: verifier,
    ...more,
  });
}

/** Does what a browser does with the address, up to that to which the platform sends it in the end. */
export async function answerOf(platform: PlatformUnderTest, cookie: string, url: URL, choice: Choice): Promise<URL> {
  const { page, cookies, path } = await consentPageOf(platform, cookie, url);
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const { effect = "act", apps, decision = "allow" } = choice;
  const form = new URLSearchParams({ ticket, effect, where: apps ? "apps" : "all", days: "30", decision });
  for (const app of apps ?? []) form.append("app", app);
  const decided = await send(platform.httpUrl, path, {
    method: "POST",
    headers: { ...browser, cookie: cookies, "content-type": "application/x-www-form-urlencoded" },
    body: String(form),
  });
  assert.equal(decided.status, 303, decided.text);
  const resume = new URL(decided.headers.location ?? "");
  const { headers } = await send(platform.httpUrl, resume.pathname, { headers: { ...browser, cookie: cookies } });
  return new URL(headers.location ?? "");
}

export interface ConsentPage {
  readonly page: string;
  readonly path: string;
  /** Of the session and of the request. */
  readonly cookies: string;
}

export async function consentPageOf(platform: PlatformUnderTest, cookie: string, url: URL): Promise<ConsentPage> {
  const begun = await send(platform.httpUrl, url.pathname + url.search, { headers: { ...browser, cookie } });
  assert.equal(begun.status, 303, begun.text);
  const path = begun.headers.location ?? "";
  const set = begun.headers["set-cookie"] ?? [];
  const cookies = [cookie, ...(Array.isArray(set) ? set : [set]).map((each) => each.split(";", 1)[0])].join("; ");
  const { status, text } = await send(platform.httpUrl, path, { headers: { ...browser, cookie: cookies } });
  assert.equal(status, 200, text);
  return { page: text, path, cookies };
}
