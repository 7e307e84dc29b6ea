import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** How the platform knows it: an item of `accounts.providers`. */
interface KnownProvider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly linkByEmail: "never" | "verified";
  readonly groupsClaim?: string | undefined;
  readonly groupsMode?: "strict" | "lenient";
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** An OpenID provider whose people sign in without being asked. */
export class OpenidProvider {
  readonly options: KnownProvider;
  readonly #server: Server;
  readonly #people = new Map<string, Claims>();
  #signsIn = "";
  #provider: Provider | undefined;
  /** Of the platform, before the first sign-in. */
  platformUrl = "http://platform.test";

  private constructor(server: Server, options: KnownProvider) {
    this.#server = server;
    this.options = options;
  }

  static async start(id: string, more: Partial<KnownProvider> = {}): Promise<OpenidProvider> {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = { id, name: id, issuer, clientId: `client-of-${id}`, clientSecret: `secret-of-${id}` };
    const preset = { scopes: ["openid", "email", "profile"], allowedDomains: [], linkByEmail: "never" } as const;
    const started = new OpenidProvider(server, { ...preset, ...own, ...more });
    server.on("request", (request, response) => started.#serve(request, response));
    return started;
  }

  /** What it reports of a person from now on. */
  tells(claims: Claims): void {
    this.#people.set(claims.sub, claims);
  }

  /** The person has no account there any more. */
  forgets(sub: string): void {
    this.#people.delete(sub);
  }

  /** The person who signs in from now on. */
  signsIn(claims: Claims): void {
    this.#people.set(claims.sub, claims);
    this.#signsIn = claims.sub;
  }

  /** Follows the browser from the provider's URL to the platform's one, and returns that. */
  async visit(url: string): Promise<string> {
    const jar = new Map<string, string>();
    for (let next = url; ; ) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(next, { redirect: "manual", headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        jar.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${next} returned ${response.status}: ${await response.text()}`);
      next = new URL(location, next).href;
      if (!next.startsWith(this.options.issuer)) return next;
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#provider ??= this.#create();
    if (!request.url?.startsWith("/interaction/")) return void this.#provider.callback()(request, response);
    void this.#provider.interactionFinished(request, response, { login: { accountId: this.#signsIn } });
  }

  #create(): Provider {
    const { id, issuer, clientId, clientSecret } = this.options;
    return new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${this.platformUrl}/self-service/methods/oidc/callback/${id}`],
          grant_types: ["authorization_code", "refresh_token"],
        },
      ],
      claims: {
        openid: ["sub", "groups", "_claim_names", "realm_access"],
        email: ["email", "email_verified"],
        profile: ["name"],
      },
      issueRefreshToken: () => this.options.scopes.includes("offline_access"),
      conformIdTokenClaims: true,
      cookies: { keys: ["test"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => {
        const claims = this.#people.get(sub);
        return claims && { accountId: sub, claims: () => claims };
      },
      loadExistingGrant: async (ctx) => {
        const grant = new ctx.oidc.provider.Grant({
          clientId: ctx.oidc.client?.clientId ?? "",
          accountId: ctx.oidc.session?.accountId ?? "",
        });
        grant.addOIDCScope(this.options.scopes.join(" "));
        await grant.save();
        return grant;
      },
    });
  }
}
