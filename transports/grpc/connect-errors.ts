import { errorCatalogue, errorDomain } from "@appserver/contracts/errors";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { type AppError, expectedError, type Logger } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";
import { type BoundedError, boundedError, type ErrorBounds } from "../bounded-error.ts";

type Detail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number];

/**
 * Errors are sent as trailers, and standard clients refuse more than 8 KiB of them (gRPC C-core: 8 KiB soft, 16 KiB hard). The
 * message is sent twice, once percent-encoded, and the details in base64.
 */
const bounds: ErrorBounds = { textLength: 200, violations: 100, bytes: 3_600 };

/**
 * Maps every error of the gRPC listener (docs/interface/errors.md#grpc-errors) to a `google.rpc.Status` whose
 * `ErrorInfo.reason` is the error's code. An unexpected error is logged in full and sent without details. `signal` is that of the call: what
 * fails after it has ended, because the client left or its deadline passed, is no error of the server.
 */
export function toConnectError(error: unknown, logger: Logger, requestId: string, signal: AbortSignal): ConnectError {
  const expected = expectedError(error);
  if (expected) {
    const said = boundedError(expected, bounds);
    const code = errorCatalogue[expected.code].grpc as Code;
    return new ConnectError(said.message, code, { "x-request-id": requestId }, detailsOf(expected.code, said));
  }
  // Connect's own errors: unimplemented, too large, cancelled by the client.
  if (error instanceof ConnectError && error.code !== Code.Internal && error.code !== Code.Unknown) return error;
  if (signal.aborted) return endOf(signal);
  logger.error({ err: error, requestId }, "grpc: a call failed");
  const info = { desc: ErrorInfoSchema, value: { reason: "INTERNAL_ERROR", domain: errorDomain } };
  return new ConnectError("internal error", Code.Internal, { "x-request-id": requestId }, [info]);
}

/** Connect gives a deadline and a stop of the server as reasons. For a client that left, the reason is how its connection failed. */
function endOf({ reason }: AbortSignal): ConnectError {
  const isOwn = reason instanceof ConnectError && (reason.code === Code.DeadlineExceeded || reason.code === Code.Unavailable);
  return isOwn ? reason : new ConnectError("the client left", Code.Canceled);
}

function detailsOf(reason: AppError["code"], said: BoundedError): Detail[] {
  const details: Detail[] = [{ desc: ErrorInfoSchema, value: { reason, domain: errorDomain, metadata: metadataOf(said) } }];
  if (said.violations.length > 0) {
    const fieldViolations = said.violations.map(({ field, message }) => ({ field, description: message }));
    details.push({ desc: BadRequestSchema, value: { fieldViolations } });
  }
  const { retry_after: seconds } = said.details;
  if (typeof seconds === "number" && Number.isFinite(seconds)) {
    const retryDelay = { seconds: BigInt(Math.floor(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
    details.push({ desc: RetryInfoSchema, value: { retryDelay } });
  }
  return details;
}

/** Returns the error's details as texts, without the violations, which have their own detail. */
function metadataOf({ details }: BoundedError): Record<string, string> {
  const facts = Object.entries(details).filter(([name]) => name !== "violations");
  return Object.fromEntries(facts.map(([name, fact]) => [name, typeof fact === "string" ? fact : JSON.stringify(fact)]));
}
