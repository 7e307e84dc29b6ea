import type { FlowKind } from "@appserver/contracts/sign-in";
import { AppError, type Component, clientNetwork } from "@appserver/kernel";
import type { SelfService, SelfServiceRequest, SelfServiceResponse } from "@appserver/kernel/ports";
import { challengeCookie, pendingCookie } from "../browser/flow-cookies.ts";
import { deviceOf } from "../device.ts";
import type { Refusal } from "../oidc/person-of-provider.ts";
import { type ProviderSignIn, providerErrors } from "../oidc/provider-sign-in.ts";
import type { SessionCookie } from "../session-cookie.ts";
import type { SessionMemory } from "../sessions/session-memory.ts";
import { isToken } from "../token.ts";
import { outageOf } from "../unavailable.ts";
import type { FlowHandler, FlowReply, FlowRequest } from "./flow-request.ts";

export interface AccountsSelfServiceDeps {
  readonly flows: Partial<Readonly<Record<FlowKind, FlowHandler>>>;
  readonly memory: SessionMemory;
  readonly cookie: SessionCookie;
  readonly providers: ProviderSignIn;
  /** The platform's URL for browsers. Default: that of each request. */
  readonly ownUrl: string | undefined;
}

/** `/self-service/login/browser` begins a flow, `…/flows` reads it, and its name alone takes a form. */
const route = /^\/self-service\/(login|registration|recovery|verification|settings)(\/browser|\/flows)?(?:\?(.*))?$/;
const callback = /^\/self-service\/methods\/oidc\/callback\/([a-z0-9-]+)(?:\?(.*))?$/;
const errors = /^\/self-service\/errors\?id=([a-z_]+)$/;

/** Serves the flows to the pages of the console, in the form of contracts/sign-in. */
export class AccountsSelfService implements SelfService, Component {
  readonly name = "self-service";
  readonly cookiePrefixes = [...pendingCookie.prefixes, ...challengeCookie.prefixes];
  readonly #deps: AccountsSelfServiceDeps;

  constructor(deps: AccountsSelfServiceDeps) {
    this.#deps = deps;
  }

  async send(request: SelfServiceRequest): Promise<SelfServiceResponse> {
    try {
      return this.#reply(request, await this.#answer(request));
    } catch (error) {
      throw outageOf(error);
    }
  }

  async #answer(request: SelfServiceRequest): Promise<FlowReply> {
    const { method, target } = request;
    const [, provider, answer = ""] = callback.exec(target) ?? [];
    if (provider !== undefined && method === "GET") {
      return await this.#deps.providers.complete(provider, await this.#read(request, new URLSearchParams(answer)));
    }
    const [, error = ""] = errors.exec(target) ?? [];
    if (Object.hasOwn(providerErrors, error))
      return { status: 200, body: { error: { reason: providerErrors[error as Refusal] } } };
    const [, kind = "", action, query = ""] = route.exec(target) ?? [];
    const handler = this.#deps.flows[kind as FlowKind];
    if (!handler) return disabled;
    const given = await this.#read(request, new URLSearchParams(query));
    if (method !== "POST") return await handler.show(given);
    if (action !== undefined) throw new AppError("NOT_FOUND", "forms are sent to the path of their flow");
    return await handler.submit(given);
  }

  async #read({ method, headers, body }: SelfServiceRequest, query: URLSearchParams): Promise<FlowRequest> {
    const [cookies, isSecure] = [headers["cookie"] ?? "", this.#isSecure(headers)];
    return {
      query,
      fields: method === "POST" ? formOf(headers["content-type"] ?? "", body) : new URLSearchParams(),
      current: await this.#current(this.#deps.cookie.valuesIn(cookies)),
      origin: this.#originOf(headers),
      pending: pendingCookie.valueIn(cookies, isSecure),
      challenge: challengeCookie.valueIn(cookies, isSecure),
      network: clientNetwork(headers["x-forwarded-for"] ?? ""),
      device: deviceOf(headers["user-agent"] ?? ""),
    };
  }

  /** Behind a proxy that is not trusted, the platform's URL tells it. */
  #isSecure(headers: SelfServiceRequest["headers"]): boolean {
    return headers["x-forwarded-proto"] === "https" || this.#deps.ownUrl?.startsWith("https:") === true;
  }

  #originOf(headers: SelfServiceRequest["headers"]): string {
    const { ownUrl } = this.#deps;
    if (ownUrl !== undefined) return new URL(ownUrl).origin;
    return `${headers["x-forwarded-proto"] ?? "http"}://${headers["x-forwarded-host"] ?? ""}`;
  }

  /** A cookie that names no session counts as none. */
  async #current([token, ...others]: readonly string[]): Promise<FlowRequest["current"]> {
    if (token === undefined || others.length > 0 || !isToken(token)) return undefined;
    try {
      return { session: await this.#deps.memory.identify(token), token };
    } catch (error) {
      if (error instanceof AppError && error.code === "AUTHENTICATION_FAILED") return undefined;
      throw error;
    }
  }

  #reply({ method, headers }: SelfServiceRequest, reply: FlowReply): SelfServiceResponse {
    const { status, body, token, location, pending, challenge } = reply;
    const text = Buffer.from(JSON.stringify(body));
    const isSecure = this.#isSecure(headers);
    return {
      status,
      headers: {
        "content-type": "application/json",
        "content-length": String(text.byteLength),
        ...(location !== undefined && { location }),
        "set-cookie": [
          ...(token === undefined ? [] : [this.#deps.cookie.set(token, isSecure)]),
          ...(pending === undefined ? [] : [pendingCookie.set(pending, isSecure)]),
          ...(challenge === undefined ? [] : [challengeCookie.set(challenge, isSecure)]),
        ],
      },
      body: (async function* () {
        if (method !== "HEAD") yield text;
      })(),
    };
  }
}

const disabled: FlowReply = {
  status: 400,
  body: { error: { id: "self_service_flow_disabled", reason: "This platform does not offer it." } },
};

function formOf(contentType: string, body: Uint8Array | undefined): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    throw new AppError("INVALID_REQUEST", "a form has the type application/x-www-form-urlencoded");
  }
  const fields = new URLSearchParams(Buffer.from(body ?? []).toString());
  if ([...fields].flat().some((text) => text.includes("\0"))) {
    throw new AppError("INVALID_REQUEST", "a form contains no NUL characters");
  }
  return fields;
}
