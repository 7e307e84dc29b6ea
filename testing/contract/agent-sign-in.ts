import assert from "node:assert/strict";
import { type PlatformUnderTest, send } from "@appserver/testing/kit";
import {
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
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

/** The sign-in of the official package: it registers the client, and keeps tokens in memory. */
export class SignIn implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  authorizationUrl: URL | undefined;
  current: StoredOAuthTokens | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = "";

  constructor(clientName: string, redirectUrl: string = callback) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { client_name: clientName, redirect_uris: [redirectUrl] };
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client;
  }

  tokens() {
    return this.current;
  }

  saveTokens(tokens: StoredOAuthTokens) {
    this.current = tokens;
  }

  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state;
  }

  discoveryState() {
    return this.#discovered;
  }

  codeVerifier() {
    return this.#verifier;
  }
}

/** Signs a program in for a person, and returns its connection. */
export async function signedInAgent(
  platform: PlatformUnderTest,
  cookie: string,
  choice: Choice = {},
  signIn = new SignIn("Test client"),
): Promise<{ readonly agent: Agent; readonly signIn: SignIn }> {
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", platform.httpUrl), { authProvider: signIn });
  await assert.rejects(Agent.over(transport, "auto"), UnauthorizedError);
  assert.ok(signIn.authorizationUrl);
  const answer = await answerOf(platform, cookie, signIn.authorizationUrl, choice);
  const code = answer.searchParams.get("code");
  assert.ok(code, answer.href);
  await transport.finishAuth(answer.searchParams);
  return { agent: await Agent.signedIn(platform, signIn), signIn };
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
