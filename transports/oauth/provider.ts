import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AgentAccess } from "@appserver/access";
import { escapeHtml, type Logger } from "@appserver/kernel";
import type { Outbound } from "@appserver/kernel/ports";
import { type ClientMetadata, type Configuration, errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { agentPaths, agentResource, agentScopes } from "../http/agents/agent-origin.ts";
import { plainPage } from "../http/plain-page.ts";
import { areEncrypted, ProviderRecords } from "./provider-records.ts";

export interface ProviderDeps {
  readonly access: AgentAccess;
  /** Reads the descriptions of programs: the rules for addresses are those of apps. */
  readonly documents: Pick<Outbound, "get">;
  readonly logger: Logger;
  /** Called when a program has asked something of the person whose request this is. */
  readonly onAsked: (request: IncomingMessage, uid: string) => Promise<void>;
}

const interactionSeconds = 600;
const codeSeconds = 60;
/** A person who has left keeps a token for as long at most. */
const accessTokenSeconds = 600;
const documentLimits = { timeoutMs: 5_000, maxBytes: 65_536 };

/** Returns the authorization server at an origin (OAuth 2.1, RFC 7591, RFC 8707, client id metadata documents). */
export function createProvider(origin: string, deps: ProviderDeps): Provider {
  const provider = new Provider(origin, {
    ...configurationOf(origin, deps),
    adapter: (model) => new ProviderRecords(model, deps.access),
  });
  // Protocol and host are those of the origin, which the handler of requests writes into these headers.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.oidc?.route === "registration" && ctx.status === 201) {
      const { client_secret: _, client_secret_expires_at: __, ...registered } = ctx.body as Record<string, unknown>;
      ctx.body = registered;
    }
  });
  provider.on("server_error", (_ctx, error) => deps.logger.error({ err: error }, "oauth: a request failed"));
  return provider;
}

function configurationOf(origin: string, { access, documents, onAsked }: ProviderDeps): Configuration {
  const descriptions = new Set<string>();
  const resource = agentResource(origin);
  const cookies = { httpOnly: true, sameSite: "lax", signed: false } as const;
  return {
    clientAuthMethods: ["none"],
    clientDefaults: {
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: "ES256",
    } satisfies Partial<ClientMetadata>,
    cookies: {
      names: { session: "agent_session", interaction: "agent_interaction", resume: "agent_resume" },
      long: { ...cookies, path: agentPaths.authorize },
      short: cookies,
    },
    // Nothing is signed: there are no ID tokens, and access tokens are random texts. The package wants a key.
    jwks: { keys: [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })] },
    responseTypes: ["code"],
    // Programs register with them.
    scopes: [...agentScopes],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true },
      registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        cacheDuration: { min: 300, max: 3_600 },
        // A stranger makes the platform read nothing: only persons begin a sign-in, and only programs that got a consent ask for tokens.
        allowFetch: async (ctx: KoaContextWithOIDC | undefined, clientId: string) => {
          const isAllowed = isOfPerson(ctx) || (await access.hasClient(clientId));
          if (isAllowed) descriptions.add(clientId);
          return isAllowed;
        },
        allowClient: (_ctx, { redirectUris }) => areEncrypted(redirectUris ?? []),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget(`tokens are for ${resource} only`);
          return { scope: agentScopes.join(" "), audience: resource, accessTokenFormat: "opaque" };
        },
      },
    },
    // What else the metadata of a program names is not read.
    sectorIdentifierUriValidate: () => false,
    fetch: async (url) => {
      if (!descriptions.delete(String(url))) throw new Error(`${String(url)} is not the description of a program`);
      const { status, body } = await documents.get(String(url), documentLimits);
      return new Response(Buffer.from(body), { status });
    },
    fetchResponseBodyLimits: { "client_id metadata document": documentLimits.maxBytes },
    findAccount: async (_ctx, sub) =>
      (await access.isActivePerson(sub)) ? { accountId: sub, claims: () => ({ sub }) } : undefined,
    // Each sign-in is a consent of its own.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    interactions: {
      url: async ({ req }, { uid }) => {
        await onAsked(req, uid);
        return `${agentPaths.consent}/${uid}`;
      },
    },
    routes: {
      authorization: agentPaths.authorize,
      token: agentPaths.token,
      registration: agentPaths.register,
      revocation: agentPaths.revoke,
    },
    ttl: {
      AccessToken: (ctx) => Math.min(accessTokenSeconds, secondsLeft(ctx)),
      AuthorizationCode: codeSeconds,
      Interaction: interactionSeconds,
      RefreshToken: (ctx) => secondsLeft(ctx),
      Session: interactionSeconds,
    },
    renderError: (ctx, { error, error_description }) => {
      ctx.type = "html";
      ctx.body = plainPage({
        title: "The program was not signed in",
        content: `<p>${escapeHtml(error_description ?? error)}</p>`,
      });
    },
  } as Configuration;
}

function isOfPerson(ctx: KoaContextWithOIDC | undefined): boolean {
  return ctx === undefined || ctx.oidc.route === "authorization" || ctx.oidc.route === "resume";
}

/** Seconds until the consent ends. */
function secondsLeft(ctx: KoaContextWithOIDC): number {
  const end = ctx.oidc.entities.Grant?.exp;
  return Math.max(1, (end ?? 0) - Math.floor(Date.now() / 1_000));
}
