import { AppError } from "./app-error.ts";

/** How a promise is settled. */
export interface Settlers<T> {
  resolve(result: T): void;
  reject(error: unknown): void;
}

/**
 * The settlers, with a deadline: unless one was called by then, `onLate` is called and the promise rejects with
 * SERVICE_UNAVAILABLE. For callers that wait behind the work of others, which may hang.
 */
export function withDeadline<T>({ resolve, reject }: Settlers<T>, deadlineMs: number, onLate: () => void): Settlers<T> {
  const timer = setTimeout(() => {
    onLate();
    reject(new AppError("SERVICE_UNAVAILABLE", `what this needs did not answer within ${deadlineMs} ms`));
  }, deadlineMs);
  return {
    resolve: (result) => {
      clearTimeout(timer);
      resolve(result);
    },
    reject: (error) => {
      clearTimeout(timer);
      reject(error);
    },
  };
}
