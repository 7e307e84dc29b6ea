import { AppError } from "@appserver/kernel";
import { request } from "undici";

export interface KratosDirectoryOptions {
  /** `APPSERVER_KRATOS_ADMIN_URL`; a path before that of the API is kept. */
  readonly adminUrl: string;
  /** Default 5000. */
  readonly timeoutMs?: number;
}

/** Uses Kratos' admin API for operators' commands. A serving platform never needs it. */
export class KratosDirectory {
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor({ adminUrl, timeoutMs = 5_000 }: KratosDirectoryOptions) {
    this.#url = adminUrl.replace(/\/+$/, "");
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns the id of the identity that signs in with `identifier`, an e-mail address or user name. Throws NOT_FOUND if there
   * is none, SERVICE_UNAVAILABLE if Kratos does not respond as expected.
   */
  async find(identifier: string): Promise<string> {
    const identities = await this.#identities(identifier);
    const [first] = identities;
    if (!first) throw new AppError("NOT_FOUND", `no identity signs in as ${JSON.stringify(identifier)}`);
    return first;
  }

  async #identities(identifier: string): Promise<readonly string[]> {
    const query = new URLSearchParams({ credentials_identifier: identifier });
    try {
      const { statusCode, body } = await request(`${this.#url}/admin/identities?${query}`, {
        headers: { accept: "application/json" },
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const found: unknown = await body.json();
      if (statusCode === 200 && Array.isArray(found)) return found.flatMap(idOf);
    } catch (cause) {
      throw unavailable(this.#url, cause);
    }
    throw unavailable(this.#url);
  }
}

function idOf(identity: unknown): string[] {
  const id = typeof identity === "object" && identity !== null && "id" in identity ? identity.id : undefined;
  return typeof id === "string" ? [id] : [];
}

function unavailable(url: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `the admin API of Kratos at ${url} does not respond as expected`, { cause });
}
