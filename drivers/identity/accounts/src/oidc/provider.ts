import { AppError, type Clock, type Logger, singleFlight } from "@appserver/kernel";
import type * as Client from "openid-client";
import { type ClaimedGroups, groupsOfClaims } from "./groups-of-claims.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** What a provider says of a person, verified. */
export interface ProvenPerson {
  readonly issuer: string;
  /** The person's id at the issuer. It never changes. */
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider has proven the address. */
  readonly isEmailProven: boolean;
  readonly name: string | undefined;
  /** The domain whose administrators manage the account, at Google. */
  readonly hostedDomain: string | undefined;
  /** When the person showed who they are, in seconds since the epoch. Unknown at some providers. */
  readonly authenticatedAt: number | undefined;
}

/** What a provider answers when a person has signed in there, or later. */
export interface ProviderAnswer {
  readonly person: ProvenPerson;
  /** Undefined if its groups are not read. */
  readonly groups: ClaimedGroups | undefined;
  /** Undefined if the provider gives none; when it is used: if the one that was used stays valid. */
  readonly refreshToken: string | undefined;
}

/** What is kept of a request until the browser comes back. */
export interface PendingRequest {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

interface Connected {
  readonly client: typeof Client;
  readonly config: Client.Configuration;
}

/** Claims of a verified token, or those that a provider does not repeat when it is asked again. */
type ClaimsOfPerson = Pick<Client.IDToken, "iss" | "sub"> & Readonly<Record<string, unknown>>;

const discoveredMs = 3_600_000;
const timeoutSeconds = 5;
const maxNameLength = 100;

/** One OpenID provider: authorization code, PKCE, `state`, `nonce`, and a verified signature of the ID token. */
export class Provider {
  readonly options: ProviderOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #discovered: (Connected & { readonly at: number }) | undefined;
  readonly #discover = singleFlight(() => this.#read());

  constructor(options: ProviderOptions, clock: Clock, logger: Logger) {
    this.options = options;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Returns where the browser goes. With `isProof` the provider asks who it is, although it knows. Throws SERVICE_UNAVAILABLE if the provider does not respond. */
  async begin(redirectUri: string, isProof = false): Promise<{ readonly url: string; readonly pending: PendingRequest }> {
    const { client, config } = await this.#client();
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectUri,
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.options.scopes.join(" "),
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
      // The person shows again who they are, at providers that know it.
      ...(isProof && { max_age: "0" }),
    });
    return { url: url.href, pending };
  }

  /** Takes the query with which the browser comes back. Throws AUTHENTICATION_FAILED, or SERVICE_UNAVAILABLE. */
  async complete(query: string, { state, nonce, verifier, redirectUri }: PendingRequest): Promise<ProviderAnswer> {
    return await this.#asked(async ({ client, config }) => {
      const tokens = await client.authorizationCodeGrant(config, new URL(`?${query}`, redirectUri), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error("the provider sent no ID token");
      return await this.#answerOf({ client, config }, tokens, claims);
    });
  }

  /** Asks again about the person with this id. Throws AUTHENTICATION_FAILED if the provider refuses, or SERVICE_UNAVAILABLE. */
  async refresh(refreshToken: string, subject: string): Promise<ProviderAnswer> {
    return await this.#asked(async ({ client, config }) => {
      const tokens = await client.refreshTokenGrant(config, refreshToken);
      const claims = tokens.claims() ?? { iss: this.options.issuer, sub: subject };
      if (claims.sub !== subject) throw new Error("the provider answered about another person");
      return await this.#answerOf({ client, config }, tokens, claims);
    });
  }

  /** Some providers tell the address or the groups only by a request of its own. */
  async #answerOf(
    { client, config }: Connected,
    { access_token: accessToken, refresh_token: refreshToken }: Client.TokenEndpointResponse,
    claims: ClaimsOfPerson,
  ): Promise<ProviderAnswer> {
    const { groupsClaim } = this.options;
    const groupsIn = (given: Readonly<Record<string, unknown>>) =>
      groupsClaim === undefined ? undefined : groupsOfClaims(given, groupsClaim);
    const first = groupsIn(claims);
    const lacksGroups = first !== undefined && "untold" in first && first.untold === "absent";
    const isTold = config.serverMetadata().userinfo_endpoint !== undefined;
    if (!isTold || !(claims["email"] === undefined || lacksGroups))
      return { person: personOf(claims), groups: first, refreshToken };
    const more = { ...(await client.fetchUserInfo(config, accessToken, claims.sub)), ...claims };
    return { person: personOf(more), groups: groupsIn(more), refreshToken };
  }

  async #asked<T>(ask: (connected: Connected) => Promise<T>): Promise<T> {
    const connected = await this.#client();
    try {
      return await ask(connected);
    } catch (cause) {
      this.#logger.warn({ err: cause, provider: this.options.id }, "accounts: a provider did not confirm who a person is");
      if (isOutage(cause)) throw this.#unavailable(cause);
      throw new AppError("AUTHENTICATION_FAILED", `the sign-in at ${this.options.name} was not accepted`, { cause });
    }
  }

  async #client(): Promise<Connected> {
    const known = this.#discovered;
    if (known && this.#clock.monotonic() - known.at < discoveredMs) return known;
    return await this.#discover();
  }

  async #read() {
    const { issuer, clientId, clientSecret } = this.options;
    const client = await import("openid-client");
    const execute = [client.enableNonRepudiationChecks];
    if (issuer.startsWith("http:")) execute.push(client.allowInsecureRequests);
    try {
      const config = await client.discovery(
        new URL(issuer),
        clientId,
        { client_secret: clientSecret },
        authentication(client, clientSecret),
        {
          execute,
          timeout: timeoutSeconds,
        },
      );
      this.#discovered = { at: this.#clock.monotonic(), client, config };
      return this.#discovered;
    } catch (cause) {
      throw this.#unavailable(cause);
    }
  }

  #unavailable(cause: unknown): AppError {
    return new AppError("SERVICE_UNAVAILABLE", `${this.options.name} does not respond as expected`, {
      cause,
      dependency: "identity",
    });
  }
}

/** By the body if the provider takes it, else by the header, which is what providers take that do not say it. */
function authentication(client: typeof Client, secret: string): Client.ClientAuth {
  const [body, header] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (...given) => {
    const [{ token_endpoint_auth_methods_supported: known }] = given;
    return (known?.includes("client_secret_post") ? body : header)(...given);
  };
}

interface ClientFailure {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly cause?: unknown;
}

/** A response that could not be read says nothing about the person, nor does a refusal of the platform itself. */
function isOutage(failure: unknown): boolean {
  const { code, status, error, cause } = failure as ClientFailure;
  const answered = cause instanceof Response ? cause.status : status;
  if (typeof answered === "number" && (answered >= 500 || answered === 429)) return true;
  if (error === "invalid_client" || error === "unauthorized_client" || code === "OAUTH_TIMEOUT") return true;
  return failure instanceof TypeError && code === undefined && cause !== undefined;
}

/** Returns what the claims of a verified token say of a person. */
export function personOf(claims: ClaimsOfPerson): ProvenPerson {
  const {
    email,
    email_verified: isVerified,
    name,
    preferred_username: userName,
    hd,
    auth_time: authenticatedAt,
    xms_edov: domainOwned,
  } = claims;
  // Of Entra, which does not say `email_verified`: the tenant has proven that it owns the domain.
  const isDomainOwned =
    claims.iss.startsWith("https://login.microsoftonline.com/") && [true, 1, "1"].includes(domainOwned as string);
  const shown = [name, userName, email].find((text): text is string => typeof text === "string" && text !== "");
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof email === "string" && email !== "" ? email : undefined,
    // The text "true" is not the value: a provider that writes texts writes "false", too.
    isEmailProven: typeof email === "string" && (isVerified === true || isDomainOwned),
    hostedDomain: typeof hd === "string" ? hd.toLowerCase() : undefined,
    authenticatedAt: typeof authenticatedAt === "number" ? authenticatedAt : undefined,
    name: shown?.replaceAll(/\p{Cc}/gu, " ").slice(0, maxNameLength),
  };
}
