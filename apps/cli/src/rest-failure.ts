/** The platform has refused a request to REST. */
export class RestFailure extends Error {
  override readonly name = "RestFailure";
  readonly status: number;
  readonly code: string;

  private constructor(message: string, status: number, code: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Reads the body of errors (docs/interface/errors.md#http-body). */
  static of(status: number, body: string): RestFailure {
    try {
      const { error, code } = JSON.parse(body) as { readonly error: string; readonly code: string };
      return new RestFailure(`${error} (${code})`, status, code);
    } catch {
      return new RestFailure(`the platform responded with ${status}`, status, "UNKNOWN");
    }
  }
}

/** The platform took the request, and sent no response in time. What was asked may still be done. */
export class Late extends Error {
  override readonly name = "Late";
}

/** The HTTP port of the platform does not respond. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";

  constructor(http: string, cause: Error) {
    const why = "code" in cause ? String(cause.code) : cause.message;
    super(`${http} is unreachable (${why}); --http or APPSERVER_HTTP_URL sets another address`, { cause });
  }
}
