/** The parts of an error, causes included, that a log may contain. */
export interface ErrorDescription {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly cause?: ErrorDescription | string;
}

/** Returns only the descriptive fields of an error: client libraries attach whole connections to errors, with passwords. */
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
