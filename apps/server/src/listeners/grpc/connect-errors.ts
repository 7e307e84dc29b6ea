import { errorCatalogue, errorDomain } from "@appserver/contracts/errors";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { type AppError, foreseenError, type Logger } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";

type Detail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number];

/**
 * The one mapper of the gRPC listener (design/contracts "gRPC"): a `google.rpc.Status` whose `ErrorInfo.reason` is the
 * error's code. What nobody foresaw is logged whole and shown bare.
 */
export function toConnectError(error: unknown, logger: Logger, requestId: string): ConnectError {
  const foreseen = foreseenError(error);
  if (foreseen) {
    return new ConnectError(
      foreseen.message,
      errorCatalogue[foreseen.code].grpc as Code,
      { "x-request-id": requestId },
      detailsOf(foreseen),
    );
  }
  // Connect's own refusals: unimplemented, too large, cancelled by the client.
  if (error instanceof ConnectError && error.code !== Code.Internal && error.code !== Code.Unknown) return error;
  logger.error({ err: error, requestId }, "gRPC call failed");
  const info = { desc: ErrorInfoSchema, value: { reason: "INTERNAL_ERROR", domain: errorDomain } };
  return new ConnectError("internal error", Code.Internal, { "x-request-id": requestId }, [info]);
}

function detailsOf(error: AppError): Detail[] {
  const details: Detail[] = [
    { desc: ErrorInfoSchema, value: { reason: error.code, domain: errorDomain, metadata: metadataOf(error) } },
  ];
  if (error.violations.length > 0) {
    const fieldViolations = error.violations.map(({ field, message }) => ({ field, description: message }));
    details.push({ desc: BadRequestSchema, value: { fieldViolations } });
  }
  const { retry_after: seconds } = error.details;
  if (typeof seconds === "number" && Number.isFinite(seconds)) {
    const retryDelay = { seconds: BigInt(Math.floor(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
    details.push({ desc: RetryInfoSchema, value: { retryDelay } });
  }
  return details;
}

/** The error's facts as texts; violations have a detail of their own. */
function metadataOf(error: AppError): Record<string, string> {
  const facts = Object.entries(error.details).filter(([name]) => name !== "violations");
  return Object.fromEntries(facts.map(([name, fact]) => [name, typeof fact === "string" ? fact : JSON.stringify(fact)]));
}
