import type { RequestHead } from "@appserver/kernel";
import type { AppRef } from "../ports.ts";
import type { AssetRequest, AssetResponse } from "../use-cases/serve-asset.ts";

/** Converts HTTP requests into {@link AssetRequest}s. The listener writes the response. */
export class AssetHttp {
  readonly #serve: (request: AssetRequest) => Promise<AssetResponse>;

  constructor(serve: (request: AssetRequest) => Promise<AssetResponse>) {
    this.#serve = serve;
  }

  /** Serves an asset. `assetName` is decoded. Rejects with the errors of `serveAsset`. */
  handle(request: RequestHead, app: AppRef, assetName: string): Promise<AssetResponse> {
    const version = versionOf(request.target);
    return this.#serve({
      app,
      assetName,
      headOnly: request.method === "HEAD",
      ...(version !== undefined && { version }),
      ...optional("acceptEncoding", request.header("accept-encoding")),
      ...optional("ifMatch", request.header("if-match")),
      ...optional("ifNoneMatch", request.header("if-none-match")),
      ...optional("range", request.header("range")),
      ...optional("ifRange", request.header("if-range")),
    });
  }
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}

function versionOf(target: string): string | undefined {
  const query = target.indexOf("?");
  return query === -1 ? undefined : (new URLSearchParams(target.slice(query)).get("v") ?? undefined);
}
