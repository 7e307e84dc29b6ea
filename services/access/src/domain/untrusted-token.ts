import { AppError } from "@appserver/kernel";

/** Says the same of every token whose signature is not verified, so that it does not show which issuers are trusted. */
export function untrustedToken(cause?: unknown): AppError {
  const message = "the token is not accepted: its issuer is not trusted, or its signature is not valid";
  return new AppError("AUTHENTICATION_FAILED", message, { cause });
}
