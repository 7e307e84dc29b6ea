/** A request of a browser to the identity provider. */
export interface SelfServiceRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** Path and query below the provider's public API: `/self-service/login/browser?refresh=true`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface SelfServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The caller reads it to its end, or stops the iteration. */
  readonly body: AsyncIterable<Buffer>;
}

/** The flows of the identity provider by which users sign in and change their account. */
export interface SelfService {
  /** How the names of its own cookies begin. It gets these, and the session cookie. */
  readonly cookiePrefixes: readonly string[];
  /** Returns redirects and does not follow them. Rejects with SERVICE_UNAVAILABLE if the provider does not respond. */
  send(request: SelfServiceRequest): Promise<SelfServiceResponse>;
}
