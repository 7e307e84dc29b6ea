import { AppError, type Component } from "@appserver/kernel";
import type { SelfService, SelfServiceRequest, SelfServiceResponse } from "@appserver/kernel/ports";
import { Pool } from "undici";

export interface KratosSelfServiceOptions {
  /** `APPSERVER_KRATOS_PUBLIC_URL`; a path before that of the API is kept. */
  readonly publicUrl: string;
  /** Maximum time until the response begins, and between two parts of it. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Requests in progress at a time; others wait. Default 16, because a password costs Kratos a core for a while. */
  readonly connections?: number | undefined;
}

/** Sends requests of browsers to the public API of Ory Kratos, and to no other address. */
export class KratosSelfService implements SelfService, Component {
  readonly name = "self-service";
  readonly cookiePrefixes = ["csrf_token", "ory_"];
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #timeoutMs: number;

  /** Throws an Error for an invalid URL. */
  constructor({ publicUrl, timeoutMs = 10_000, connections = 16 }: KratosSelfServiceOptions) {
    const { origin, pathname } = new URL(publicUrl);
    this.#basePath = pathname.replace(/\/+$/, "");
    this.#timeoutMs = timeoutMs;
    this.#pool = new Pool(origin, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  async send({ method, target, headers, body }: SelfServiceRequest): Promise<SelfServiceResponse> {
    try {
      const response = await this.#pool.request({
        method,
        path: this.#basePath + target,
        headers,
        body: body ?? null,
        // Also covers the wait for a connection.
        signal: AbortSignal.timeout(2 * this.#timeoutMs),
      });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    } catch (cause) {
      throw new AppError("SERVICE_UNAVAILABLE", "the identity provider does not respond", { cause, dependency: "identity" });
    }
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
  }
}
