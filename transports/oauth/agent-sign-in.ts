import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentAccess } from "@appserver/access";
import { AppError, type Call, clientNetwork, type Logger, type RequestContext } from "@appserver/kernel";
import type { Cache, Outbound } from "@appserver/kernel/ports";
import type { default as OidcProvider } from "oidc-provider";
import { agentOrigin, agentPaths, agentResource, agentScopes } from "../http/agents/agent-origin.ts";
import type { AgentExchange, AgentSignIn, AppChoices, AskedConsent, GivenConsent } from "../http/agents/agent-sign-in.ts";
import { SharedEntries } from "../http/device/shared-entries.ts";
import { type FindSession, type SignedIn, signedIn, signInUrl } from "../http/signed-in.ts";

export interface AgentSignInOptions {
  readonly access: AgentAccess;
  /** Reads the descriptions of programs. */
  readonly documents: Pick<Outbound, "get">;
  readonly sessions: FindSession;
  readonly choices: (call: Call) => Promise<AppChoices>;
  readonly publicOrigin: string | undefined;
  readonly cache: Cache;
  readonly logger: Logger;
}

/** Providers of the names of this machine, where no origin is configured. */
const maxProviders = 8;
const signInSeconds = 600;
/** The model of the records that say who has begun a sign-in. */
const begun = "SignIn";
const endpoints: Readonly<Record<string, string>> = {
  [agentPaths.authorize]: "GET",
  [agentPaths.token]: "POST",
  [agentPaths.register]: "POST",
  [agentPaths.revoke]: "POST",
};
const resumed = /^\/oauth\/agents\/authorize\/([\w-]{43})$/;
const daySeconds = 86_400;
/** Sign-ins that one person begins. */
const personWindows = [{ limit: 60, windowMs: 600_000 }];
/** Registrations of programs from one network, and other requests of strangers. */
const registrationWindows = [{ limit: 20, windowMs: 3_600_000 }];
const strangerWindows = [{ limit: 120, windowMs: 60_000 }];
/** Others would open what the platform does not have: other flows, other answers, hints of persons. */
const knownParameters = [
  ...["response_type", "client_id", "redirect_uri", "state", "resource", "code_challenge", "code_challenge_method"],
] as const;

/** RFC 7636 §4.2. */
const codeChallenge = /^[\w-]{43}$/;

export function createAgentSignIn(options: AgentSignInOptions): AgentSignIn {
  return new ProviderSignIn(options);
}

/** OAuth 2.1 by its package, which is loaded at the first request. */
class ProviderSignIn implements AgentSignIn {
  readonly #options: AgentSignInOptions;
  readonly #entries: SharedEntries;
  readonly #providers = new Map<string, Promise<OidcProvider>>();
  /** Who sends the requests in progress. */
  readonly #persons = new WeakMap<IncomingMessage, string>();

  constructor(options: AgentSignInOptions) {
    this.#options = options;
    this.#entries = new SharedEntries(options.cache, "agent-sign-in:");
  }

  async handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const origin = agentOrigin(this.#options.publicOrigin, context.origins);
    if (origin === undefined)
      throw new AppError("NOT_FOUND", "programs sign in here when the option `server.public_url` is set");
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const uid = resumed.exec(path)?.[1];
    // The package reads other spellings as the same paths.
    if (uid === undefined && endpoints[path] !== request.method)
      throw new AppError("NOT_FOUND", "there is no such endpoint for programs, or not with this method");
    if (path === agentPaths.authorize || uid !== undefined) {
      const session = await signedIn(this.#options.sessions, request);
      if (typeof session === "string") {
        response.writeHead(303, { location: signInUrl(request.url ?? "/", session), "cache-control": "no-store" }).end();
        return;
      }
      await this.#count(session);
      if (uid === undefined) request.url = `${path}?${askedOf(new URLSearchParams(query), agentResource(origin))}`;
      else if (!(await this.#isOf(uid, session)))
        throw new AppError("PERMISSION_DENIED", "another person has begun this sign-in");
      this.#persons.set(request, session.caller.id);
    } else await this.#admitStranger(path, context.remoteAddress);
    const { protocol, host } = new URL(origin);
    Object.assign(request.headers, { "x-forwarded-proto": protocol.slice(0, -1), "x-forwarded-host": host });
    request.headers.cookie = resumeCookies(request.headers.cookie);
    await (await this.#provider(origin)).callback()(request, response);
  }

  async asked({ origin, request, response }: AgentExchange, uid: string, person: SignedIn): Promise<AskedConsent | undefined> {
    await this.#count(person);
    if (!(await this.#isOf(uid, person))) return undefined;
    const provider = await this.#provider(origin);
    const details = await provider.interactionDetails(request, response).catch(() => undefined);
    if (details?.uid !== uid || details.result !== undefined) return undefined;
    const { client_id: clientId, redirect_uri: redirectUri, scope } = details.params as Readonly<Record<string, string>>;
    const client = clientId === undefined ? undefined : await provider.Client.find(clientId);
    if (!client || clientId === undefined || redirectUri === undefined) return undefined;
    return {
      uid,
      clientId,
      clientName: client.clientName,
      publisher: URL.canParse(clientId) ? new URL(clientId).host : undefined,
      redirectUri,
      asksToAct: scope?.split(" ").includes("act") ?? false,
    };
  }

  async ticketFor({ uid }: AskedConsent, { caller }: SignedIn): Promise<string> {
    const ticket = randomBytes(32).toString("base64url");
    await this.#options.access.records.put("Ticket", ticket, { request: uid, person: caller.id }, signInSeconds);
    return ticket;
  }

  async redeem(ticket: string, uid: string, { caller }: SignedIn): Promise<boolean> {
    const found = await this.#options.access.records.take("Ticket", ticket);
    return found?.payload["request"] === uid && found.payload["person"] === caller.id;
  }

  choices(call: Call): Promise<AppChoices> {
    return this.#options.choices(call);
  }

  async decide(
    { origin, request, response }: AgentExchange,
    asked: AskedConsent,
    given: GivenConsent | undefined,
    call: Call,
  ): Promise<string> {
    const provider = await this.#provider(origin);
    const { caller } = call;
    if (caller.kind !== "user") throw new AppError("AUTHENTICATION_REQUIRED", "only people give something to agents");
    if (!given) {
      const denied = { error: "access_denied", error_description: "the person has not allowed it" };
      return await provider.interactionResult(request, response, denied, { mergeWithLastSubmission: false });
    }
    const { clientId, publisher } = asked;
    const { apps, isReadOnly, days } = given;
    const offered = (await this.choices(call)).apps.map(({ name }) => name);
    const foreign = apps?.find((app) => !offered.includes(app));
    if (foreign !== undefined)
      throw new AppError("INVALID_REQUEST", `${JSON.stringify(foreign.slice(0, 100))} is not an app that the page shows`);
    const id = randomBytes(32).toString("base64url");
    const { displayName, email } = caller;
    await this.#options.access.giveConsent(
      {
        ...{ id, userId: caller.id, displayName, email, clientId, apps, isReadOnly },
        clientName: asked.clientName ?? publisher ?? "a program without a name",
        days,
      },
      call,
    );
    const grant = new provider.Grant({ accountId: caller.id, clientId, expiresIn: days * daySeconds, jti: id } as never);
    const [granted, rejected] = isReadOnly ? ["read", "act"] : [agentScopes.join(" "), ""];
    grant.addResourceScope(agentResource(origin), granted);
    grant.addOIDCScope(granted);
    if (rejected) {
      grant.rejectResourceScope(agentResource(origin), rejected);
      grant.rejectOIDCScope(rejected);
    }
    await grant.save();
    const result = { login: { accountId: caller.id, remember: false }, consent: { grantId: id } };
    return await provider.interactionResult(request, response, result, { mergeWithLastSubmission: false });
  }

  /** Throws RATE_LIMIT_EXCEEDED. */
  async #count({ caller }: SignedIn): Promise<void> {
    const tooMany = "you have begun too many sign-ins of programs: wait, then try again";
    await this.#entries.requireWithin(`person:${caller.id}`, personWindows, tooMany);
  }

  /** Another browser can have the cookie of a sign-in, but not the session of the person who began it. */
  async #isOf(uid: string, { caller }: SignedIn): Promise<boolean> {
    return (await this.#options.access.records.find(begun, uid))?.payload["person"] === caller.id;
  }

  async #admitStranger(pathname: string, remoteAddress: string): Promise<void> {
    const network = clientNetwork(remoteAddress);
    const message = "too many requests of this network: wait, then try again";
    if (pathname === agentPaths.register)
      await this.#entries.requireWithin(`register:${network}`, registrationWindows, message);
    else await this.#entries.requireWithin(`network:${network}`, strangerWindows, message);
  }

  #provider(origin: string): Promise<OidcProvider> {
    const known = this.#providers.get(origin);
    if (known) return known;
    const { access, documents, logger } = this.#options;
    const onAsked = (request: IncomingMessage, uid: string): Promise<void> =>
      access.records.put(begun, uid, { person: this.#persons.get(request) }, signInSeconds);
    const made = import("./provider.ts").then(({ createProvider }) =>
      createProvider(origin, { access, documents, logger, onAsked }),
    );
    if (this.#providers.size >= maxProviders) this.#providers.clear();
    this.#providers.set(origin, made);
    return made;
  }
}

/**
 * Returns the known parameters. A program that names no scope asks for all. Throws INVALID_REQUEST for what would be refused whatever the person
 * decides: the package would send the browser to the address of the program with it, so that a link to the platform would lead anywhere.
 */
function askedOf(given: URLSearchParams, resource: string): URLSearchParams {
  const asked = new URLSearchParams();
  for (const name of knownParameters) {
    const [value, another] = given.getAll(name);
    if (another !== undefined) throw new AppError("INVALID_REQUEST", `${name} is given twice`);
    // PostgreSQL has no such text.
    if (value?.includes("\0")) throw new AppError("INVALID_REQUEST", `${name} has a character U+0000`);
    if (value !== undefined) asked.set(name, value);
  }
  const expected = { response_type: "code", code_challenge_method: "S256", resource };
  for (const [name, value] of Object.entries(expected)) {
    const own = asked.get(name) ?? (name === "resource" ? resource : "");
    if (own !== value)
      throw new AppError("INVALID_REQUEST", `${name} must be ${value}, got ${JSON.stringify(own.slice(0, 200))}`);
  }
  if (!codeChallenge.test(asked.get("code_challenge") ?? ""))
    throw new AppError("INVALID_REQUEST", "code_challenge must be a SHA-256 in base64url");
  const scopes = (given.get("scope") ?? "").split(" ").filter((scope) => agentScopes.some((each) => each === scope));
  asked.set("scope", (scopes.length > 0 ? scopes : agentScopes).join(" "));
  return asked;
}

/** The package has sessions of its own. They are not kept: a person may sign out, or be another one, in between. */
function resumeCookies(cookies: string | undefined): string {
  return (cookies ?? "")
    .split(/; */)
    .filter((each) => each.startsWith("agent_resume"))
    .join("; ");
}
