import type { ErrorCode } from "@appserver/contracts/errors";
import { AppError, type AppErrorOptions } from "./app-error.ts";

export interface RejectionOptions extends AppErrorOptions {
  /** For `Retry-After`: whole seconds until a retry makes sense. */
  readonly retryAfterSeconds?: number;
  /** For `Allow`: the methods that the matched pattern allows. */
  readonly allowedMethods?: readonly string[];
  /** HTML that a browser shows in place of the error. */
  readonly page?: string | undefined;
}

/** A request that is refused before an app receives it. `reasonId` is the stable name of the reason in the request log. */
export class Rejection extends AppError {
  readonly reasonId: ReasonId;
  readonly retryAfterSeconds: number | undefined;
  readonly allowedMethods: readonly string[] | undefined;
  readonly page: string | undefined;

  constructor(code: ErrorCode, reasonId: ReasonId, message: string, options: RejectionOptions = {}) {
    super(code, message, options);
    this.reasonId = reasonId;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allowedMethods = options.allowedMethods;
    this.page = options.page;
  }
}

/** Every reason of the request log (docs/interface/proxy.md#log-line). */
export type ReasonId =
  | "target_invalid"
  | "app_unknown"
  | "apps_unloaded"
  | "app_unavailable"
  | "route_unknown"
  | "method_not_allowed"
  | "credentials_missing"
  | "credentials_malformed"
  | "signature_invalid"
  | "signature_replayed"
  | "signature_failures"
  | "replay_memory_full"
  | "app_disabled"
  | "session_invalid"
  | "token_invalid"
  | "second_factor_required"
  | "identity_unavailable"
  | "cross_site"
  | "permission_denied"
  | "authorization_unavailable"
  | "rate_limited"
  | "head_too_large"
  | "circuit_open"
  | "body_too_large"
  | "body_timeout"
  | "slow_bodies"
  | "upstream_denied"
  | "upstream_unreachable"
  | "upstream_reset"
  | "upstream_protocol"
  | "upstream_redirected"
  | "upstream_timeout"
  | "client_gone"
  | "internal";
