import { AppError, type Component } from "@appserver/kernel";
import type { IdentityProvider, PeopleQuery, Person, Session, SessionCredential } from "@appserver/kernel/ports";
import { Pool } from "undici";
import { KratosDirectory } from "./kratos-directory.ts";
import { parseRefusal, parseSession } from "./kratos-session.ts";

export interface KratosIdentityOptions {
  /** `APPSERVER_KRATOS_PUBLIC_URL`; a path before that of the API is kept. */
  readonly publicUrl: string;
  /** `APPSERVER_KRATOS_ADMIN_URL`. Without it users cannot be searched, and have no names except their own. */
  readonly adminUrl?: string | undefined;
  /** `APPSERVER_SESSION_COOKIE_NAME`, as configured in Kratos. */
  readonly sessionCookieName: string;
  /** Maximum time for Kratos to check a session, attempts included. Default 3000. */
  readonly timeoutMs?: number | undefined;
  /** Default 32. */
  readonly connections?: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Characters of a cookie's value (RFC 6265 §4.1.1). Others could end the header or begin another cookie. */
const cookieValue = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;
const maxAnswerBytes = 1_048_576;

/**
 * Checks sessions with `GET /sessions/whoami` on the public API of Ory Kratos (docs/interface/permissions.md#sessions). It
 * sends the session credential and nothing else of the request.
 *
 * Fails closed: a missing, late or malformed response is SERVICE_UNAVAILABLE, never an anonymous caller.
 */
export class KratosIdentity implements IdentityProvider, Component {
  readonly name = "identity";
  readonly sessionCookieName: string;
  readonly #directory: KratosDirectory | undefined;
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeoutMs: number;

  /** Throws an Error for an invalid URL. */
  constructor(options: KratosIdentityOptions) {
    const { origin, pathname } = new URL(options.publicUrl);
    this.#directory = options.adminUrl === undefined ? undefined : new KratosDirectory({ adminUrl: options.adminUrl });
    this.sessionCookieName = options.sessionCookieName;
    this.#basePath = pathname.replace(/\/+$/, "");
    this.#timeoutMs = options.timeoutMs ?? 3_000;
    this.#pool = new Pool(origin, { connections: options.connections ?? 32, maxResponseSize: maxAnswerBytes });
  }

  async whoami(credential: SessionCredential): Promise<Session> {
    if (!cookieValue.test(credential.value)) throw invalidSession();
    const answer = await this.#get("/sessions/whoami", this.#headersFor(credential), this.#timeoutMs);
    if (answer.status === 401) throw invalidSession();
    if (answer.status === 403) throw needsMore(answer.text);
    const session = answer.status === 200 ? parseSession(answer.text) : undefined;
    if (!session) throw unavailable(`sent an unexpected response with status ${answer.status}`);
    if (!session.active) throw invalidSession();
    return session.session;
  }

  async find(query: PeopleQuery): Promise<readonly Person[]> {
    if (this.#directory) return await this.#directory.find(query);
    if ("ids" in query) return [];
    throw new AppError("SERVICE_UNAVAILABLE", "users cannot be searched: APPSERVER_KRATOS_ADMIN_URL is not set");
  }

  async ping(timeoutMs: number = this.#timeoutMs): Promise<void> {
    const { status } = await this.#get("/health/ready", {}, timeoutMs);
    if (status !== 200) throw unavailable(`is not ready (status ${status})`);
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
  }

  #headersFor({ kind, value }: SessionCredential): Record<string, string> {
    return kind === "cookie" ? { cookie: `${this.sessionCookieName}=${value}` } : { "x-session-token": value };
  }

  async #get(path: string, headers: Record<string, string>, timeoutMs: number): Promise<Answer> {
    const signal = AbortSignal.timeout(timeoutMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.#pool.request({
          method: "GET",
          path: this.#basePath + path,
          headers: { accept: "application/json", ...headers },
          signal,
        });
        return { status: response.statusCode, text: await response.body.text() };
      } catch (cause) {
        // Retried once: after a restart of Kratos, the first request on an idle connection that Kratos closed fails.
        if (attempt === 2 || signal.aborted) throw unavailable("does not respond", cause);
      }
    }
  }
}

function invalidSession(): AppError {
  return new AppError("AUTHENTICATION_FAILED", "the session is not valid");
}

function needsMore(text: string): AppError {
  const { reason, redirectTo } = parseRefusal(text);
  const message =
    reason === "session_aal2_required" ? "the session requires a second factor" : "the identity provider refuses the session";
  return new AppError("PERMISSION_DENIED", message, { details: { reason, ...(redirectTo ? { redirectTo } : {}) } });
}

function unavailable(fault: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `sessions cannot be checked: the identity provider ${fault}`, {
    cause,
    dependency: "identity",
  });
}
