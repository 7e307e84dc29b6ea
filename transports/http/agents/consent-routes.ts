import { AppError, isAppError } from "@appserver/kernel";
import type { FastifyReply, FastifyRequest } from "fastify";
import { InboundCall } from "../../inbound-call.ts";
import { sourceOrigins } from "../client-origin.ts";
import { NodeRequest } from "../node-request.ts";
import { type Route, sendPage } from "../route.ts";
import { type FindSession, redirectToSignIn, refuseScripts, requirePerson, type SignedIn, signedIn } from "../signed-in.ts";
import type { TrustedProxies } from "../trusted-proxies.ts";
import { agentOrigin, agentPaths, agentResource, agentScopes } from "./agent-origin.ts";
import type { AgentExchange, AgentSignIn, AskedConsent, GivenConsent } from "./agent-sign-in.ts";
import { consentDays, consentPage, endedPage } from "./consent-page.ts";

/** A form with the names of 200 apps. */
const bodyLimit = 65_536;

interface ConsentDeps {
  readonly sessions: () => FindSession;
  readonly signIn: () => AgentSignIn;
  readonly proxies: TrustedProxies;
  readonly publicOrigin: string | undefined;
}

/** Returns the page of consent, and the documents in which programs find the sign-in. */
export function consentRoutes(deps: ConsentDeps): readonly Route[] {
  const originOf = ({ raw }: FastifyRequest): string => {
    const head = new NodeRequest(raw);
    const origin = agentOrigin(deps.publicOrigin, sourceOrigins(head, deps.proxies.clientOf(head), deps.publicOrigin));
    if (origin !== undefined) return origin;
    throw new AppError("NOT_FOUND", "programs sign in here when the option `server.public_url` is set");
  };
  const exchangeOf = (request: FastifyRequest, reply: FastifyReply): AgentExchange => ({
    origin: originOf(request),
    request: request.raw,
    response: reply.raw,
  });
  const document = (body: (origin: string) => object) => ({
    GET: (request: FastifyRequest, reply: FastifyReply) =>
      reply
        .header("cache-control", "no-store")
        .header("access-control-allow-origin", "*")
        .send(body(originOf(request))),
  });
  return [
    { url: agentPaths.resource, methods: document(resourceDocument) },
    { url: agentPaths.server, methods: document(serverDocument) },
    {
      url: `${agentPaths.consent}/:uid`,
      bodyLimit,
      methods: {
        GET: async (request, reply) => {
          // The page has a ticket, with which a script could allow what it has requested itself.
          refuseScripts(request.raw);
          const session = await signedIn(deps.sessions(), request.raw);
          if (typeof session === "string") return redirectToSignIn(reply, request.url, session);
          const asked = await deps.signIn().asked(exchangeOf(request, reply), uidOf(request), session);
          return await showPage(deps.signIn(), request, reply, { asked, session });
        },
        POST: async (request, reply) => {
          refuseScripts(request.raw);
          const session = await requirePerson(deps.sessions(), request.raw);
          return await decide(deps.signIn(), request, reply, { exchange: exchangeOf(request, reply), session });
        },
      },
    },
  ];
}

interface Shown {
  readonly asked: AskedConsent | undefined;
  readonly session: SignedIn;
  readonly problem?: string;
}

async function showPage(
  signIn: AgentSignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  { asked, session, problem }: Shown,
): Promise<FastifyReply> {
  // No script of the platform's origin can read the page through the window in which it has opened it.
  reply.header("cross-origin-opener-policy", "noopener-allow-popups");
  if (!asked) return sendPage(reply.code(400), endedPage());
  const [choices, ticket] = [await signIn.choices(callOf(request, session)), await signIn.ticketFor(asked, session)];
  const page = consentPage({ asked, displayName: session.caller.displayName, choices, ticket, problem });
  return sendPage(reply.code(problem === undefined ? 200 : 400), page, formTarget(asked));
}

async function decide(
  signIn: AgentSignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  { exchange, session }: { readonly exchange: AgentExchange; readonly session: SignedIn },
): Promise<FastifyReply> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const uid = uidOf(request);
  const asked = await signIn.asked(exchange, uid, session);
  if (!asked || !(await signIn.redeem(form.get("ticket") ?? "", uid, session)))
    return showPage(signIn, request, reply, { asked: undefined, session });
  const decision = async (): Promise<string> =>
    signIn.decide(
      exchange,
      asked,
      form.get("decision") === "allow" ? givenBy(form, asked) : undefined,
      callOf(request, session),
    );
  const outcome = await decision().catch(problemOf);
  if (typeof outcome !== "string") return await showPage(signIn, request, reply, { asked, session, problem: outcome.message });
  return await reply.header("cache-control", "no-store").redirect(outcome, 303);
}

/** Returns an error that the person can do something about. Throws others. */
function problemOf(error: unknown): AppError {
  if (isAppError(error, "INVALID_STATE") || isAppError(error, "INVALID_REQUEST")) return error;
  throw error;
}

/** Throws INVALID_REQUEST for a form that is not that of the page. */
function givenBy(form: URLSearchParams, { asksToAct }: AskedConsent): GivenConsent {
  const days = Number(form.get("days"));
  if (!consentDays.includes(days)) throw new AppError("INVALID_REQUEST", "choose for how long");
  const apps = form.get("where") === "apps" ? form.getAll("app") : undefined;
  if (apps?.length === 0) throw new AppError("INVALID_REQUEST", "choose at least one app");
  return { apps, isReadOnly: !(asksToAct && form.get("effect") === "act"), days };
}

/** Browsers compare where a form leads also after a redirection. A scheme of a program has no host. */
function formTarget({ redirectUri }: AskedConsent): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === "null" ? protocol : origin;
}

function uidOf({ params }: FastifyRequest): string {
  return (params as { readonly uid: string }).uid;
}

function callOf({ id }: FastifyRequest, { caller }: SignedIn): InboundCall {
  return new InboundCall(caller, id, undefined);
}

function resourceDocument(origin: string): object {
  return {
    resource: agentResource(origin),
    authorization_servers: [origin],
    scopes_supported: agentScopes,
    bearer_methods_supported: ["header"],
    resource_name: "Appserver",
    resource_documentation: `${origin}/docs/guides/agents`,
  };
}

function serverDocument(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: origin + agentPaths.authorize,
    token_endpoint: origin + agentPaths.token,
    registration_endpoint: origin + agentPaths.register,
    revocation_endpoint: origin + agentPaths.revoke,
    scopes_supported: agentScopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
