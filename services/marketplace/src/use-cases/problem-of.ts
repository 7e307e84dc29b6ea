import { AppError, type Problem } from "@appserver/kernel";

/**
 * Converts an error for storage and display. Expected errors keep their code and message. Details of unexpected errors are
 * hidden.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof AppError) return { code: error.code, message: error.message, details: error.details };
  return { code: "INTERNAL_ERROR", message: "an unexpected error; its cause is in the log of the platform" };
}
