import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { ManifestError } from "@appserver/sdk";
import { Code, ConnectError } from "@connectrpc/connect";
import { exitCodes } from "./exit-codes.ts";
import type { GlobalOptions } from "./platform.ts";
import { UsageError } from "./usage-error.ts";

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly violations: readonly { readonly field?: string; readonly message: string }[];
  readonly exitCode: number;
}

/** Prints what went wrong on stderr, one line and the violations below it. Answers the exit code. */
export function printFailure(error: unknown, options: GlobalOptions): number {
  const failure = describe(error, options);
  if (options.json) {
    const { exitCode: _, ...shown } = failure;
    process.stderr.write(`${JSON.stringify(shown)}\n`);
  } else {
    const lines = failure.violations.map(({ field, message }) => `  ${field === undefined ? "" : `${field}: `}${message}`);
    process.stderr.write(`${[`appctl: ${failure.message}`, ...lines].join("\n")}\n`);
  }
  return failure.exitCode;
}

function describe(error: unknown, options: GlobalOptions): Failure {
  if (error instanceof ConnectError) return describeRefusal(error, options);
  if (error instanceof ManifestError) {
    const [first = ""] = error.problems;
    const alone = error.problems.length === 1;
    return {
      code: "INVALID_MANIFEST",
      message: alone ? first : `the manifest has ${error.problems.length} mistakes`,
      violations: alone ? [] : error.problems.map((message) => ({ message })),
      exitCode: exitCodes.usage,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.refused;
  return { code: "CLIENT_ERROR", message, violations: [], exitCode };
}

function describeRefusal(error: ConnectError, options: GlobalOptions): Failure {
  const [info] = error.findDetails(ErrorInfoSchema);
  // Without a reason it was not the platform that spoke but the transport.
  if (!info && (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded)) {
    return {
      code: "UNREACHABLE",
      message: `${options.grpc} cannot be reached; is the platform running there?`,
      violations: [],
      exitCode: exitCodes.unreachable,
    };
  }
  const violations = error.findDetails(BadRequestSchema).flatMap((detail) => detail.fieldViolations);
  return {
    code: info?.reason ?? Code[error.code],
    message: `${error.rawMessage}${info ? ` (${info.reason})` : ""}`,
    violations: violations.map(({ field, description }) => ({ field, message: description })),
    exitCode: exitCodes.refused,
  };
}
