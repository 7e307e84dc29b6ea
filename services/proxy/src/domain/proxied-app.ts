import type { KeyObject } from "node:crypto";

/** An installed app in the form that the proxy uses (docs/interface/manifest.md#web-api). */
export interface ProxiedApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /**
   * The generation that requests go to, or wait for. It grows with every installation and every switch to another release.
   */
  readonly generation: number;
  /** Digest of the manifest that `api` comes from. While it is unchanged, nothing is compiled again. */
  readonly manifestDigest?: string;
  /** Requests to an installed app that is unavailable get 503 with the reason. If the app is held, they first wait. */
  readonly availability: "serving" | Unavailability;
  /** Whether its manifest requires the permission `page:origin`. */
  readonly asksForOrigin?: boolean;
  /** Undefined for an app without an API. */
  readonly api?: ProxiedApi;
  /** Set if the app renders its pages (docs/interface/proxy.md#rendered-pages). */
  readonly pages?: ProxiedPages;
  readonly upstream: {
    /** `http://127.0.0.1:43211`, or the manifest's `upstream_base_url`. */
    readonly url: string;
    /** Whether the platform runs the upstream. It then chose the address itself, so the address needs no check. */
    readonly managed: boolean;
  };
  /** Signs the requests to the upstream (docs/interface/proxy.md#forward-signature). Undefined: they are not signed. */
  readonly forwardKey?: KeyObject;
}

/** The reason of an app that an operator has disabled. Its open connections end, unlike those of an unhealthy app. */
export const disabledReason = "disabled";

export interface Unavailability {
  readonly unavailable: string;
  readonly retryAfterSeconds?: number;
  /** Whether requests wait until the app changes (docs/interface/proxy.md#replaced-apps). */
  readonly isHeld?: boolean;
}

export interface ProxiedApi {
  /** As in the manifest: absolute (`/api/apps/{name}…`) or relative to that prefix. */
  readonly basePath: string;
  readonly stripBasePath: boolean;
  /** Default 30000. */
  readonly timeoutMs?: number;
  /** Names of request headers to forward in addition to those that are always forwarded. */
  readonly forwardHeaders: readonly string[];
  /** Maximum size of a request body (docs/interface/limits.md#bodies). */
  readonly maxBodyBytes: number;
  /** For routes without scopes. */
  readonly requiredPermissions: readonly string[];
  readonly defaultRateLimit?: ProxiedRateLimit;
  /** Empty: everything below the base, with any method. */
  readonly routes: readonly ProxiedRoute[];
}

/** The pages that an app renders itself, as one route of the method GET. */
export interface ProxiedPages {
  readonly requiredPermissions: readonly string[];
  readonly timeoutMs?: number;
  readonly rateLimit?: ProxiedRateLimit;
}

export interface ProxiedRoute {
  /** Identifies the route in counters and in the log: `{app}#{index}` (docs/interface/proxy.md#route-matching). */
  readonly id: string;
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly scopes: readonly string[];
  readonly timeoutMs?: number;
  readonly rateLimit?: ProxiedRateLimit;
  readonly isPublic: boolean;
}

/** Both forms of a manifest's limit (docs/interface/manifest.md#rate-limits). `rpm` is a limit in 60 seconds. */
export interface ProxiedRateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Maximum number in any second. */
  readonly burst?: number;
  /** `user:{user_id}`, `app:{app_name}` (the calling app), `ip:{remote_addr}` or `global`. Undefined: the caller. */
  readonly keyPattern?: string;
}
