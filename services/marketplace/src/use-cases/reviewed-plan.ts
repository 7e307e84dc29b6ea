import type { ErrorCode } from "@appserver/contracts/errors";
import { AppError, type Problem } from "@appserver/kernel";

/** Throws CONFLICT if the caller reviewed another plan. `what` begins the message: "the plan to install com.example.notes". */
export function requireReviewed(what: string, reviewed: string | undefined, actual: string, appName: string): void {
  if (reviewed === undefined || reviewed === actual) return;
  throw new AppError("CONFLICT", `${what} has changed since it was reviewed; read it again`, {
    details: { app: appName, expected: reviewed, actual },
  });
}

/** Throws the first blocker, with all of them in the details. */
export function requireNoBlockers({ blockers }: { readonly blockers: readonly Problem[] }): void {
  const [blocker] = blockers;
  if (blocker) throwProblem({ ...blocker, details: { ...blocker.details, blockers } });
}

export function throwProblem({ code, message, details = {} }: Problem): never {
  throw new AppError(code as ErrorCode, message, { details });
}
