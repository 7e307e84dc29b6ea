import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { ManifestError } from "@appserver/sdk";
import { Code, ConnectError } from "@connectrpc/connect";
import { ApprovalNeeded } from "./approval-needed.ts";
import { exitCodes } from "./exit-codes.ts";
import type { GlobalOptions } from "./global-options.ts";
import { harmlessJson } from "./harmless.ts";
import { note } from "./output.ts";
import { PlatformFileError } from "./platform-file/platform-file-error.ts";
import { droppedText, isCertificateProblem, Late, Refusal, Unreachable, untrustedText, type Violation } from "./refusal.ts";
import { RegistrationRefusal, sessionHint } from "./registration-refusal.ts";
import { UsageError } from "./usage-error.ts";

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly violations: readonly Violation[];
  readonly exitCode: number;
}

/** Prints an error on stderr: one line, then the violations. Returns the exit code. */
export function printFailure(error: unknown, options: GlobalOptions): number {
  const failure = describe(error, options);
  if (options.json) {
    const { exitCode: _, ...shown } = failure;
    note(harmlessJson(shown));
  } else {
    note(`appctl: ${linesOf(failure)}`);
  }
  return failure.exitCode;
}

/** Returns an error in one line, then the violations, each in a line of its own. */
export function failureLines(error: unknown, options: GlobalOptions): string {
  return linesOf(describe(error, options));
}

function linesOf({ message: first, violations }: Failure): string {
  const lines = violations.map(({ field, message }) => `  ${field === undefined ? "" : `${field}: `}${message}`);
  return [first, ...lines].join("\n");
}

/** Returns an error in one line. */
export function failureText(error: unknown, options: GlobalOptions): string {
  return describe(error, options).message;
}

/** Returns the code of the platform's error (docs/interface/errors.md). Undefined for an error of the connection, and any other. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.code;
  return error instanceof ConnectError ? error.findDetails(ErrorInfoSchema)[0]?.reason : undefined;
}

function describe(error: unknown, options: GlobalOptions): Failure {
  if (error instanceof RegistrationRefusal) {
    const refusal = describeRefusal(error.refusal, options, error.hints);
    // For programs the fields are enough.
    if (options.json || error.problems.length === 0) return refusal;
    return { ...refusal, ...placed(error.problems, "manifest", ` (${refusal.code})`) };
  }
  if (error instanceof ConnectError) return describeRefusal(error, options, options.token === undefined ? [sessionHint] : []);
  if (error instanceof ManifestError || error instanceof PlatformFileError) {
    const [code, what] = error instanceof ManifestError ? ["INVALID_MANIFEST", "manifest"] : ["INVALID_FILE", "file"];
    return { code, ...placed(error.problems, what), exitCode: exitCodes.usage };
  }
  if (error instanceof Refusal) {
    const { code, violations } = error;
    const needsSession = code === "AUTHENTICATION_REQUIRED" && options.token === undefined;
    const message = needsSession ? `${error.message}; ${sessionHint}` : error.message;
    return { code, message, violations, exitCode: exitCodes.refused };
  }
  if (error instanceof Late)
    return {
      code: "TIMEOUT",
      message: lateText(error.message, "--http or APPSERVER_HTTP_URL"),
      violations: [],
      exitCode: exitCodes.refused,
    };
  if (error instanceof Unreachable)
    return { code: "UNREACHABLE", message: error.message, violations: [], exitCode: exitCodes.unreachable };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApprovalNeeded)
    return { code: "APPROVAL_REQUIRED", message, violations: [], exitCode: exitCodes.approval };
  const exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.refused;
  return { code: "CLIENT_ERROR", message, violations: [], exitCode };
}

/** Problems that have their places in their texts. */
function placed(problems: readonly string[], what: string, suffix = ""): Pick<Failure, "message" | "violations"> {
  const [first = ""] = problems;
  if (problems.length === 1) return { message: `${first}${suffix}`, violations: [] };
  return {
    message: `the ${what} has ${problems.length} problems${suffix}`,
    violations: problems.map((message) => ({ message })),
  };
}

/** `hints`: where to give the credentials that the call takes and did not have. */
function describeRefusal(error: ConnectError, options: GlobalOptions, hints: readonly string[]): Failure {
  const [info] = error.findDetails(ErrorInfoSchema);
  const broken = info ? undefined : transportProblem(error, options.grpc);
  if (broken !== undefined) return { code: "UNREACHABLE", message: broken, violations: [], exitCode: exitCodes.unreachable };
  if (!info && error.code === Code.DeadlineExceeded)
    return {
      code: "TIMEOUT",
      message: lateText(options.grpc, "--grpc or APPSERVER_GRPC_URL"),
      violations: [],
      exitCode: exitCodes.refused,
    };
  const needsCredential = error.code === Code.Unauthenticated && info?.reason !== "AUTHENTICATION_FAILED";
  const violations = error.findDetails(BadRequestSchema).flatMap((detail) => detail.fieldViolations);
  return {
    code: info?.reason ?? Code[error.code],
    message: [info ? `${error.rawMessage} (${info.reason})` : error.rawMessage, ...(needsCredential ? hints : [])].join("; "),
    violations: violations.map(({ field, description }) => ({ field, message: description })),
    exitCode: exitCodes.refused,
  };
}

const droppedCodes: ReadonlySet<Code> = new Set([Code.Canceled, Code.Internal, Code.Aborted]);
const otherAddress = "--grpc or APPSERVER_GRPC_URL sets another address";

/** Returns the problem of the connection to the platform, or undefined if the platform itself refused the call. */
function transportProblem(error: ConnectError, address: string): string | undefined {
  const cause = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : "";
  if (isCertificateProblem(cause)) return untrustedText(address, cause);
  if (error.code === Code.Unavailable) return `${address} is unreachable; is the platform running there? ${otherAddress}`;
  // A port with another protocol or with unexpected TLS ends or resets the connection. The client reports an end as CANCELED
  // or INTERNAL, and a reset as ABORTED.
  if (error.isWireError || !droppedCodes.has(error.code)) return undefined;
  return droppedText(address, otherAddress);
}

/** The outcome is unknown. */
function lateText(address: string, setting: string): string {
  return `${address} did not respond in time. What was asked may still be done: look before you repeat it. ${setting} sets another address`;
}
