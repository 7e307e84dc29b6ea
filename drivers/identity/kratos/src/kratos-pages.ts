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
   * Ends the session of this `Cookie` header. Only the session cookie is sent. Returns the `Set-Cookie` headers of Kratos; none if
   * there was no session. Rejects with SERVICE_UNAVAILABLE if Kratos does not respond as expected.
   */
  async signOut(cookieHeader: string): Promise<readonly string[]> {
    const { publicUrl, sessionCookieName } = this.#options;
    const cookie = cookieHeader.split(/; */).find((each) => each.startsWith(`${sessionCookieName}=`));
    if (cookie === undefined) return [];
    const base = `${withoutSlash(publicUrl)}/self-service/logout`;
    const begun = await this.#get(`${base}/browser`, cookie);
    if (begun.status === 401) return [];
    const token = begun.status === 200 ? logoutToken(begun.text) : undefined;
    if (token === undefined) throw notEnded();
    const ended = await this.#get(`${base}?token=${encodeURIComponent(token)}`, cookie);
    if (ended.status !== 204) throw notEnded();
    return ended.cookies;
  }

  async #get(url: string, cookie: string): Promise<Answer> {
    try {
      const { statusCode, headers, body } = await request(url, {
        headers: { accept: "application/json", cookie },
        signal: AbortSignal.timeout(this.#options.timeoutMs ?? 3_000),
      });
      return { status: statusCode, text: await body.text(), cookies: [headers["set-cookie"] ?? []].flat() };
    } catch (cause) {
      throw notEnded(cause);
    }
  }
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
