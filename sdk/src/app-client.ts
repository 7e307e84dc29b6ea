import type { KeyObject } from "node:crypto";
import { currentTrace } from "./current-trace.ts";
import { signRequest } from "./sign-request.ts";

export interface AppClientOptions {
  /** Base address of the platform: `http://127.0.0.1:8080` (APPSERVER_HTTP_URL). */
  readonly httpUrl: string;
  readonly appName: string;
  readonly privateKey: KeyObject;
  /** Default 10000. */
  readonly timeoutMs?: number;
}

export interface AppRequest {
  readonly method?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls other apps through the platform. Signs each request as this app, and continues the current trace. */
export interface AppClient {
  /**
   * Sends a request. `path` is path and query on the platform: `/api/apps/com.example.notes/notes`. Rejects after the timeout.
   * Returns redirects without following them.
   */
  fetch(path: string, request?: AppRequest): Promise<Response>;
}

export function createAppClient(options: AppClientOptions): AppClient {
  return {
    fetch: async (path, request = {}) => {
      const url = new URL(path, options.httpUrl);
      // Another host could send the signed request to the platform.
      if (url.origin !== new URL(options.httpUrl).origin) throw new RangeError(`${path} must be a path on the platform`);
      const body = request.json === undefined ? new Uint8Array(0) : new TextEncoder().encode(JSON.stringify(request.json));
      const method = (request.method ?? (request.json === undefined ? "GET" : "POST")).toUpperCase();
      const signature = signRequest({
        appName: options.appName,
        privateKey: options.privateKey,
        method,
        url: url.pathname + url.search,
        body,
      });
      const { traceparent } = currentTrace();
      return fetch(url, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(options.timeoutMs ?? 10_000),
        headers: {
          ...(request.json === undefined ? {} : { "content-type": "application/json" }),
          ...(traceparent === undefined ? {} : { traceparent }),
          ...request.headers,
          ...signature,
        },
        ...(request.json === undefined ? {} : { body }),
      });
    },
  };
}
