import type { FlowKind } from "@appserver/contracts/sign-in";
import { AppError, type Component, clientNetwork } from "@appserver/kernel";
import type { SelfService, SelfServiceRequest, SelfServiceResponse } from "@appserver/kernel/ports";
import { deviceOf } from "../device.ts";
import type { SessionCookie } from "../session-cookie.ts";
import type { SessionMemory } from "../sessions/session-memory.ts";
import { isToken } from "../token.ts";
import { outageOf } from "../unavailable.ts";
import type { FlowHandler, FlowReply, FlowRequest } from "./flow-request.ts";

export interface AccountsSelfServiceDeps {
  readonly flows: Partial<Readonly<Record<FlowKind, FlowHandler>>>;
  readonly memory: SessionMemory;
  readonly cookie: SessionCookie;
}

/** `/self-service/login/browser` begins a flow, `…/flows` reads it, and its name alone takes a form. */
const route = /^\/self-service\/(login|registration|recovery|verification|settings)(\/browser|\/flows)?(?:\?(.*))?$/;

/** Answers what the pages of the console ask (contracts/sign-in). */
export class AccountsSelfService implements SelfService, Component {
  readonly name = "self-service";
  readonly cookiePrefixes: readonly string[] = [];
  readonly #deps: AccountsSelfServiceDeps;

  constructor(deps: AccountsSelfServiceDeps) {
    this.#deps = deps;
  }

  async send(request: SelfServiceRequest): Promise<SelfServiceResponse> {
    const [, kind = "", action, query = ""] = route.exec(request.target) ?? [];
    const handler = this.#deps.flows[kind as FlowKind];
    if (!handler) return this.#reply(request, disabled);
    try {
      const given = await this.#read(request, new URLSearchParams(query));
      if (request.method !== "POST") return this.#reply(request, await handler.show(given));
      if (action !== undefined) throw new AppError("NOT_FOUND", "forms are sent to the path of their flow");
      return this.#reply(request, await handler.submit(given));
    } catch (error) {
      throw outageOf(error);
    }
  }

  async #read({ method, headers, body }: SelfServiceRequest, query: URLSearchParams): Promise<FlowRequest> {
    return {
      query,
      fields: method === "POST" ? formOf(headers["content-type"] ?? "", body) : new URLSearchParams(),
      current: await this.#current(this.#deps.cookie.valuesIn(headers["cookie"] ?? "")),
      network: clientNetwork(headers["x-forwarded-for"] ?? ""),
      device: deviceOf(headers["user-agent"] ?? ""),
    };
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

  #reply({ method, headers }: SelfServiceRequest, { status, body, token }: FlowReply): SelfServiceResponse {
    const text = Buffer.from(JSON.stringify(body));
    const isSecure = headers["x-forwarded-proto"] === "https";
    return {
      status,
      headers: {
        "content-type": "application/json",
        "content-length": String(text.byteLength),
        ...(token !== undefined && { "set-cookie": this.#deps.cookie.set(token, isSecure) }),
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
  return new URLSearchParams(Buffer.from(body ?? []).toString());
}
