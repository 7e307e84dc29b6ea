import { AppError, type Clock, messageOf } from "@appserver/kernel";
import { Agent, request } from "undici";

export interface OpenFgaClientOptions {
  /** `http://openfga:8080`; a path before that of the API is kept. */
  readonly apiUrl: string;
  /** A preshared key of the server (`OPENFGA_AUTHN_PRESHARED_KEYS`), if it requires one. */
  readonly apiToken?: string | undefined;
  readonly clock: Clock;
  /** Maximum time of one request, attempts and pauses included. */
  readonly timeoutMs: number;
}

/** One request to the API (https://openfga.dev/api/service). With a body it is a POST, else a GET. */
export interface OpenFgaRequest {
  /** Below the API's root: `/stores`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

export interface CallOptions {
  /** Overrides the client's timeout. */
  readonly timeoutMs?: number | undefined;
  /** False for requests that must not be sent twice. */
  readonly repeatable?: boolean;
}

/** Pauses before the second and the third attempt. They are short because a caller's request waits for the result. */
const retryPausesMs: readonly number[] = [50, 150];
const maxConnections = 64;
/** Errors caused by the platform or its operator, not by the caller: the check itself may be valid. */
const notTheAskersFault: ReadonlySet<string> = new Set([
  "authorization_model_not_found",
  "latest_authorization_model_not_found",
  "authorization_model_resolution_too_complex",
  "cancelled",
]);

/** A response that is not a success. */
class OpenFgaError extends Error {
  override readonly name = "OpenFgaError";
  readonly status: number;
  /** The server's code. */
  readonly code: string | undefined;

  constructor(status: number, { code, message }: Readonly<Record<string, unknown>>) {
    super(typeof message === "string" ? message : `status ${status}`);
    this.status = status;
    this.code = typeof code === "string" ? code : undefined;
  }
}

/**
 * Calls OpenFGA's HTTP API with a deadline and a bounded number of attempts, and maps errors: INVALID_REQUEST if the server
 * refuses a request as malformed, SERVICE_UNAVAILABLE for every other failure.
 */
export class OpenFgaClient {
  readonly #agent = new Agent({ connections: maxConnections, pipelining: 1 });
  readonly #options: OpenFgaClientOptions;
  readonly #root: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** Throws TypeError for an invalid URL. */
  constructor(options: OpenFgaClientOptions) {
    const { apiUrl, apiToken } = options;
    this.#options = options;
    this.#root = new URL(apiUrl).href.replace(/\/+$/, "");
    this.#headers = apiToken === undefined ? {} : { authorization: `Bearer ${apiToken}` };
  }

  /**
   * Returns the members of the response, none if it is not a JSON object. Rejects with AppError INVALID_REQUEST or
   * SERVICE_UNAVAILABLE; `details.openfgaCode` is the server's code.
   */
  async call<T extends object>(request: OpenFgaRequest, options: CallOptions = {}): Promise<Partial<T>> {
    const signal = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs);
    const pauses = options.repeatable === false ? [] : retryPausesMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return (await this.#send(request, signal)) as Partial<T>;
      } catch (error) {
        const pauseMs = pauses[attempt];
        if (pauseMs === undefined || signal.aborted || !isTransient(error)) throw toAppError(error);
        await this.#options.clock.sleep(pauseMs, signal).catch(() => {
          throw toAppError(error);
        });
      }
    }
  }

  /** Closes idle connections and aborts requests that still wait. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #send({ path, query = {}, body }: OpenFgaRequest, signal: AbortSignal): Promise<object> {
    const url = new URL(this.#root + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const { statusCode, body: content } = await request(url, {
      method: body ? "POST" : "GET",
      headers: body ? { ...this.#headers, "content-type": "application/json" } : this.#headers,
      body: body ? JSON.stringify(body) : null,
      dispatcher: this.#agent,
      signal,
    });
    const members = membersOf(await content.text());
    if (statusCode < 200 || statusCode > 299) throw new OpenFgaError(statusCode, members);
    return members;
  }
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** Whether a second attempt may succeed: no response, an overloaded server, or a conflict with another writer. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 409 || status === 422 || status === 429 || status >= 500;
}

function toAppError(error: unknown): AppError {
  const status = statusOf(error);
  const openfgaCode = error instanceof OpenFgaError ? error.code : undefined;
  const details = openfgaCode === undefined ? {} : { openfgaCode };
  if (status === 400 && !notTheAskersFault.has(openfgaCode ?? "")) {
    return new AppError("INVALID_REQUEST", messageOf(error), { details, cause: error });
  }
  const fault = status === undefined ? "does not respond" : `responded with ${status} ${openfgaCode ?? ""}`.trimEnd();
  return new AppError("SERVICE_UNAVAILABLE", `permissions cannot be checked: the authorization service ${fault}`, {
    details,
    cause: error,
    dependency: "authorization",
  });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof OpenFgaError ? error.status : undefined;
}
