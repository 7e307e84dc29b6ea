import { inexactNumberPath, inexactNumberProblem } from "@appserver/contracts/json";
import type { Problem } from "@appserver/kernel";
import { limits } from "./limits.ts";
import type { Outcome } from "./run-outcome.ts";

/** An error as an app reports it. */
export interface ReportedError {
  readonly code?: string | undefined;
  readonly message: string;
  readonly details?: Problem["details"] | undefined;
}

/** Returns the outcome of an attempt with this output, JSON text. One that is too large fails the run. */
export function completedWith(output: string): Outcome {
  if (Buffer.byteLength(output) > limits.outputBytes)
    return invalidOutput(`must be at most ${limits.outputBytes} bytes as JSON`);
  const inexact = inexactNumberPath(output);
  return inexact === undefined ? { kind: "completed", output } : invalidOutput(`output${inexact}: ${inexactNumberProblem}`);
}

/** Returns the outcome of an attempt whose output cannot be stored. */
export function invalidOutput(message: string): Outcome {
  return { kind: "failed", error: { code: "INVALID_OUTPUT", message }, final: true };
}

/** Returns the outcome of an attempt with this error, within the limits of errors. `details.retry` of false makes it final. */
export function failedWith({ code = "", message, details }: ReportedError): Outcome {
  const error = {
    code: code === "" ? "FAILED" : code.slice(0, limits.keyLength),
    message: message.slice(0, limits.messageLength),
    ...(details && JSON.stringify(details).length <= limits.messageLength ? { details } : {}),
  };
  return { kind: "failed", error, ...(details?.["retry"] === false ? { final: true } : {}) };
}

/** Returns whether the value can be the details of an error. */
export function isDetails(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
