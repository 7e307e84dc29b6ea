import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { AppError, type Clock, messageOf } from "@appserver/kernel";
import { Configuration, CredentialsMethod, FgaApiError, OpenFgaApi } from "@openfga/sdk";

export interface OpenFgaClientOptions {
  /** `http://openfga:8080`; a path before that of the API is kept. */
  readonly apiUrl: string;
  /** A preshared key of the server (`OPENFGA_AUTHN_PRESHARED_KEYS`), if it requires one. */
  readonly apiToken?: string | undefined;
  readonly clock: Clock;
  /** Maximum time of one request, attempts and pauses included. */
  readonly timeoutMs: number;
}

/** One request to the API. The options carry the deadline and are passed to the SDK's method as its last argument. */
export type OpenFgaCall<T> = (api: OpenFgaApi, options: { readonly signal: AbortSignal }) => Promise<T>;

export interface CallOptions {
  /** Overrides the client's timeout. */
  readonly timeoutMs?: number | undefined;
  /** False for requests that must not be sent twice. */
  readonly repeatable?: boolean;
}

/** Pauses before the second and the third attempt. They are short because a caller's request waits for the result. */
const retryPausesMs: readonly number[] = [50, 150];
/** Errors caused by the platform or its operator, not by the caller: the check itself may be valid. */
const notTheAskersFault: ReadonlySet<string> = new Set([
  "authorization_model_not_found",
  "latest_authorization_model_not_found",
  "authorization_model_resolution_too_complex",
  "cancelled",
]);

/**
 * Calls OpenFGA's HTTP API with a deadline and a bounded number of attempts, and maps errors: INVALID_REQUEST if the server
 * refuses a request as malformed, SERVICE_UNAVAILABLE for every other failure.
 */
export class OpenFgaClient {
  readonly #api: OpenFgaApi;
  readonly #agents: readonly [HttpAgent, HttpsAgent];
  readonly #options: OpenFgaClientOptions;

  /** Throws an Error for an invalid URL. */
  constructor(options: OpenFgaClientOptions) {
    this.#options = options;
    const [httpAgent, httpsAgent] = [
      new HttpAgent({ keepAlive: true, maxSockets: 64 }),
      new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
    ];
    this.#agents = [httpAgent, httpsAgent];
    const { apiUrl, apiToken } = options;
    const configuration = new Configuration({
      apiUrl: apiUrl.replace(/\/+$/, ""),
      ...(apiToken === undefined ? {} : { credentials: { method: CredentialsMethod.ApiToken, config: { token: apiToken } } }),
      // The SDK's own retries have no deadline, and its HTTP client would use proxy variables of the environment.
      retryParams: { maxRetry: 0, minWaitInMs: 1 },
      baseOptions: { httpAgent, httpsAgent, proxy: false, maxRedirects: 0 },
      telemetry: { metrics: {} },
    });
    configuration.isValid();
    this.#api = new OpenFgaApi(configuration);
  }

  /** Rejects with AppError INVALID_REQUEST or SERVICE_UNAVAILABLE; `details.openfgaCode` is the server's code. */
  async call<T>(work: OpenFgaCall<T>, options: CallOptions = {}): Promise<T> {
    const signal = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs);
    const pauses = options.repeatable === false ? [] : retryPausesMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work(this.#api, { signal });
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
  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }
}

/** Whether a second attempt may succeed: no response, an overloaded server, or a conflict with another writer. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status === 409 || status === 422 || status === 429 || status >= 500;
}

function toAppError(error: unknown): AppError {
  const status = statusOf(error);
  const openfgaCode = codeOf(error);
  const details = openfgaCode === undefined ? {} : { openfgaCode };
  if (status === 400 && !notTheAskersFault.has(openfgaCode ?? "")) {
    const message = error instanceof FgaApiError ? (error.apiErrorMessage ?? error.message) : messageOf(error);
    return new AppError("INVALID_REQUEST", message, { details, cause: error });
  }
  const fault = status === undefined ? "does not respond" : `responded with ${status} ${openfgaCode ?? ""}`.trimEnd();
  return new AppError("SERVICE_UNAVAILABLE", `permissions cannot be checked: the authorization service ${fault}`, {
    details,
    cause: error,
    dependency: "authorization",
  });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof FgaApiError ? error.statusCode : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof FgaApiError)) return undefined;
  const code: unknown = error.responseData?.code;
  return typeof code === "string" ? code : undefined;
}
