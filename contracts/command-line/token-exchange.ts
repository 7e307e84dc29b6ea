/** Exchanges the OpenID token of a pipeline (RFC 8693, docs/interface/permissions.md#trusted-pipelines). Takes a form. */
export const tokenExchangePath = "/oauth/token";

export const tokenExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";

export const tokenTypes = {
  idToken: "urn:ietf:params:oauth:token-type:id_token",
  jwt: "urn:ietf:params:oauth:token-type:jwt",
  accessToken: "urn:ietf:params:oauth:token-type:access_token",
} as const;

/** RFC 8693 section 2.2.1. */
export interface ExchangedTokenResponse {
  readonly access_token: string;
  readonly issued_token_type: string;
  readonly token_type: "Bearer";
  /** In seconds. */
  readonly expires_in: number;
}

/** RFC 6749 section 5.2. */
export interface TokenErrorResponse {
  readonly error:
    | "invalid_request"
    | "invalid_grant"
    | "unsupported_grant_type"
    | "invalid_scope"
    | "slow_down"
    | "temporarily_unavailable"
    | "server_error";
  readonly error_description: string;
}
