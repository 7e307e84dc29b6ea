/** What a log may hold of an error, its causes included. */
export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly cause?: ErrorDescription | string;
}

/** What tells of an error, and no more: client libraries hang whole connections on theirs, with passwords. */
export function describeError(error: unknown): ErrorDescription | string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: unknown };
  return {
    name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(reason !== undefined && { reason }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
