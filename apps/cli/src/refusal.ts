import { errorCatalogue } from "@appserver/contracts/errors";

/** What was wrong with which part of a request. */
export interface Violation {
  readonly field?: string;
  readonly message: string;
}

/** An error as GraphQL has it, in `errors` or as the `error` of a result. */
export interface GraphqlProblem {
  readonly message: string;
  /** Its name in GraphQL. */
  readonly code?: string | undefined;
  readonly violations?: unknown;
}

interface ErrorBody {
  readonly error?: string;
  readonly code?: string;
  /** In the form of the OCI Distribution Specification. */
  readonly errors?: readonly { readonly code: string; readonly message: string }[];
}

const codes: ReadonlyMap<string, string> = new Map(
  Object.entries(errorCatalogue).map(([code, { graphql }]) => [graphql ?? code, code]),
);

/** The platform has refused a request. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Of the response. 0 for a refusal within GraphQL. */
  readonly status: number;
  /** docs/interface/errors.md */
  readonly code: string;
  readonly violations: readonly Violation[];

  private constructor(message: string, status: number, code: string, violations: readonly Violation[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.violations = violations;
  }

  /** Reads the body of errors (docs/interface/errors.md#http-body), or of those of the registry. */
  static ofBody(status: number, body: string): Refusal {
    try {
      const { error, code, errors } = JSON.parse(body) as ErrorBody;
      if (code !== undefined) return new Refusal(`${error} (${code})`, status, code);
      const [first] = errors ?? [];
      if (first) return new Refusal(`${first.message} (${first.code})`, status, first.code);
    } catch {
      // No JSON.
    }
    return new Refusal(`the platform responded with ${status}`, status, "UNKNOWN");
  }

  static ofGraphql({ message, code = "UNKNOWN", violations }: GraphqlProblem): Refusal {
    const ownCode = codes.get(code) ?? code;
    const listed = Array.isArray(violations) ? (violations as readonly Violation[]) : [];
    return new Refusal(`${message} (${ownCode})`, 0, ownCode, listed);
  }
}

/** The platform took the request, and sent no response in time. What was asked may still be done. */
export class Late extends Error {
  override readonly name = "Late";
}

/** The HTTP port of the platform does not respond, or the connection to it was lost. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";

  constructor(http: string, cause: Error) {
    const why = "code" in cause ? String(cause.code) : cause.message;
    const problem = isCertificateProblem(why)
      ? untrustedText(http, why)
      : isOtherProtocol(why)
        ? droppedText(http, otherAddress)
        : `${http} is unreachable (${why}); is the platform running there? ${otherAddress}`;
    super(problem, { cause });
  }
}

const otherAddress = "--http or APPSERVER_HTTP_URL sets another address";

export function isCertificateProblem(code: string): boolean {
  return /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT_)/.test(code);
}

/** What a client gets from a port with another protocol: an end of the connection, or bytes that it does not understand. */
function isOtherProtocol(code: string): boolean {
  return /^(ECONNRESET|EPROTO|ERR_SSL_|HPE_)/.test(code);
}

export function untrustedText(address: string, code: string): string {
  return `the certificate of ${address} is not trusted (${code}); --ca or APPSERVER_CA sets a file of trusted certificates`;
}

/** The outcome is unknown, unless the port is another one. */
export function droppedText(address: string, hint: string): string {
  const scheme = address.startsWith("http:") ? "a port with TLS needs https://, and" : "a port without TLS needs http://, and";
  const unknown = "If it is the platform, what was asked may still be done: look before you repeat it";
  return `${address} dropped the connection: ${scheme} ${hint}. ${unknown}`;
}
