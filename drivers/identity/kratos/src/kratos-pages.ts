import { AppError } from "@appserver/kernel";
import { request } from "undici";

export interface KratosPagesOptions {
  /** `APPSERVER_KRATOS_PUBLIC_URL`: the API as the platform reaches it. */
  readonly publicUrl: string;
  /** `APPSERVER_SESSION_COOKIE_NAME` */
  readonly sessionCookieName: string;
  /** Maximum time for each response of Kratos. Default 3000. */
  readonly timeoutMs?: number | undefined;
}

/** The query of a flow. `return_to` is absolute, and Kratos must allow it. `aal` asks for the second factor. */
export interface FlowQuery {
  readonly return_to: string;
  readonly aal?: "aal2";
}

/** Returns the URL at which a browser begins a flow of Kratos. */
export function flowUrl(browserUrl: string, flow: "login" | "settings", query: FlowQuery): string {
  return `${withoutSlash(browserUrl)}/self-service/${flow}/browser?${new URLSearchParams({ ...query })}`;
}

/** Ends sessions of Ory Kratos for browsers. */
export class KratosPages {
  readonly #options: KratosPagesOptions;

  constructor(options: KratosPagesOptions) {
    this.#options = options;
  }

  /**
   * Ends a session. Only its own cookie is sent. Returns the `Set-Cookie` headers of Kratos; none if there was no session of a browser.
   * Rejects with SERVICE_UNAVAILABLE if Kratos does not respond as expected.
   */
  async signOut(session: SessionCredential): Promise<readonly string[]> {
    const { publicUrl, sessionCookieName } = this.#options;
    const base = `${withoutSlash(publicUrl)}/self-service/logout`;
    if ("token" in session) return await this.#endToken(`${base}/api`, session.token);
    const isOwn = (each: string): boolean => each.startsWith(`${sessionCookieName}=`);
    const cookie = "value" in session ? `${sessionCookieName}=${session.value}` : session.cookies.split(/; */).find(isOwn);
    if (cookie === undefined) return [];
    const begun = await this.#send(`${base}/browser`, { headers: { cookie } });
    if (begun.status === 401) return [];
    const token = begun.status === 200 ? logoutToken(begun.text) : undefined;
    if (token === undefined) throw notEnded();
    const ended = await this.#send(`${base}?token=${encodeURIComponent(token)}`, { headers: { cookie } });
    if (ended.status !== 204) throw notEnded();
    return ended.cookies;
  }

  async #endToken(url: string, token: string): Promise<readonly string[]> {
    const headers = { "content-type": "application/json" };
    const ended = await this.#send(url, { method: "DELETE", headers, body: JSON.stringify({ session_token: token }) });
    // 403: there is no such session.
    if (ended.status !== 204 && ended.status !== 403) throw notEnded();
    return [];
  }

  async #send(url: string, { headers: own, ...sent }: Sent): Promise<Answer> {
    try {
      const { statusCode, headers, body } = await request(url, {
        ...sent,
        headers: { accept: "application/json", ...own },
        signal: AbortSignal.timeout(this.#options.timeoutMs ?? 3_000),
      });
      return { status: statusCode, text: await body.text(), cookies: [headers["set-cookie"] ?? []].flat() };
    } catch (cause) {
      throw notEnded(cause);
    }
  }
}

/** A `Cookie` header, the value of the session cookie, or the token of a session that began without a browser. */
export type SessionCredential = { readonly cookies: string } | { readonly value: string } | { readonly token: string };

interface Sent {
  readonly method?: "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
}

function logoutToken(text: string): string | undefined {
  try {
    const { logout_token: token } = JSON.parse(text) as { readonly logout_token?: unknown };
    return typeof token === "string" ? token : undefined;
  } catch {
    return undefined;
  }
}

function notEnded(cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "the identity provider did not end the session", {
    cause,
    dependency: "identity",
  });
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
