/** An installed app as the proxy needs it (docs/interface/manifest.md#web-api). */
export interface ProxiedApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Of the manifest that `api` is from: while it stays the same, nothing is compiled again. */
  readonly manifestDigest?: string;
  /** An installed app that cannot serve now answers 503 with the reason. */
  readonly availability: "serving" | { readonly unavailable: string; readonly retryAfterSeconds?: number };
  /** Its manifest requires the permission `page:origin`. */
  readonly asksForOrigin?: boolean;
  readonly api: ProxiedApi;
  readonly upstream: UpstreamTarget;
}

export interface ProxiedApi {
  /** As in the manifest: absolute (`/api/apps/{name}…`) or relative to that prefix. */
  readonly basePath: string;
  readonly stripBasePath: boolean;
  /** Default 30000. */
  readonly timeoutMs?: number;
  /** Names of request headers that pass, beside the ones that always do. */
  readonly forwardHeaders: readonly string[];
  /** Default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** For routes that name no scopes. */
  readonly requiredPermissions: readonly string[];
  readonly defaultRateLimit?: ProxiedRateLimit;
  /** Empty: everything under the base, by any method. */
  readonly routes: readonly ProxiedRoute[];
}

export interface ProxiedRoute {
  /** Names the route in counters and in the log. Absent: made from app name, methods and pattern. */
  readonly id?: string;
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly scopes: readonly string[];
  readonly timeoutMs?: number;
  readonly rateLimit?: ProxiedRateLimit;
  readonly isPublic: boolean;
}

/** Either form of a manifest's limit (docs/interface/manifest.md#rate-limits). `rpm` is a limit in 60 seconds. */
export interface ProxiedRateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
  /** At most so many in any second. */
  readonly burst?: number;
  /** `user:{user_id}`, `app:{app_name}` (the calling app), `ip:{remote_addr}` or `global`; absent: the caller. */
  readonly keyPattern?: string;
}

export interface UpstreamTarget {
  /** `http://127.0.0.1:43211`, or the manifest's `upstream_base_url`. */
  readonly url: string;
  /** The platform itself runs it and chose the address, which therefore needs no check. */
  readonly managed: boolean;
}
