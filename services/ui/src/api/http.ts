import type { AppRef } from "../ports.ts";
import type { AssetRequest, AssetResponse } from "../use-cases/serve-asset.ts";

/** The parts of an HTTP request that asset requests use. Node's `IncomingMessage` has this form. */
export interface HttpAssetRequest {
  readonly method?: string | undefined;
  /** Path and query, as sent. */
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Converts HTTP requests into {@link AssetRequest}s. The listener writes the response. */
export class AssetHttp {
  readonly #serve: (request: AssetRequest) => Promise<AssetResponse>;

  constructor(serve: (request: AssetRequest) => Promise<AssetResponse>) {
    this.#serve = serve;
  }

  /** Serves an asset. `assetName` is decoded. Rejects with the errors of `serveAsset`. */
  handle(request: HttpAssetRequest, app: AppRef, assetName: string): Promise<AssetResponse> {
    const version = versionOf(request.url);
    return this.#serve({
      app,
      assetName,
      headOnly: request.method === "HEAD",
      ...(version !== undefined && { version }),
      ...optional("acceptEncoding", request.headers["accept-encoding"]),
      ...optional("ifMatch", request.headers["if-match"]),
      ...optional("ifNoneMatch", request.headers["if-none-match"]),
      ...optional("range", request.headers["range"]),
      ...optional("ifRange", request.headers["if-range"]),
    });
  }
}

function optional<K extends string>(key: K, value: string | string[] | undefined): { [P in K]?: string } {
  if (value === undefined) return {};
  return { [key]: Array.isArray(value) ? value.join(", ") : value } as { [P in K]?: string };
}

function versionOf(url: string | undefined): string | undefined {
  const query = url?.indexOf("?") ?? -1;
  return url === undefined || query === -1 ? undefined : (new URLSearchParams(url.slice(query)).get("v") ?? undefined);
}
