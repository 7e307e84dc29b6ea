/**
 * The login of a terminal without a browser: the endpoints and terms are those of RFC 8628, the token is a session that is encrypted for the
 * key of `appctl` (docs/interface/permissions.md#device-login).
 */
export const devicePaths = {
  /** The page on which a user types the code: `verification_uri`. */
  page: "/console/device",
  /** RFC 8628 §3.1. Takes a {@link DeviceAuthorizationRequest}. */
  code: "/console/device/code",
  /** RFC 8628 §3.4. Takes `device_code`. */
  token: "/console/device/token",
} as const;

export interface DeviceAuthorizationRequest {
  /** The key for which the token is encrypted: 32 bytes of X25519 in base64url. */
  readonly key: string;
  /** How the machine calls itself, for the page. */
  readonly device: string;
}

/** RFC 8628 §3.2. */
export interface DeviceAuthorization {
  readonly device_code: string;
  /** `WDJB-MJHT` */
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  /** In seconds. */
  readonly expires_in: number;
  /** Between two requests for the token, in seconds. */
  readonly interval: number;
}

/** RFC 8628 §3.5: the `error` of a response with status 400. */
export type DeviceTokenError = "authorization_pending" | "slow_down" | "access_denied" | "expired_token";

/** The response when the user has allowed it. */
export interface DeviceToken {
  /** The session, encrypted for the key. */
  readonly session: string;
}
