import type { MaybePromise, RequestHead } from "@appserver/kernel";
import type { AppRef } from "../ports.ts";
import type { AssetRequest, AssetResponse } from "../use-cases/serve-asset.ts";

/** Converts HTTP requests into {@link AssetRequest}s. The listener writes the response. */
export class AssetHttp {
  readonly #serve: (request: AssetRequest) => MaybePromise<AssetResponse>;

  constructor(serve: (request: AssetRequest) => MaybePromise<AssetResponse>) {
    this.#serve = serve;
  }

  /** Serves an asset. `assetName` is decoded. Throws or rejects with the errors of `serveAsset`. */
  handle(request: RequestHead, app: AppRef, assetName: string): MaybePromise<AssetResponse> {
    return this.#serve({
      app,
      assetName,
      headOnly: request.method === "HEAD",
      version: versionOf(request.target),
      acceptEncoding: request.header("accept-encoding"),
      ifMatch: request.header("if-match"),
      ifNoneMatch: request.header("if-none-match"),
      range: request.header("range"),
      ifRange: request.header("if-range"),
    });
  }
}

function versionOf(target: string): string | undefined {
  const query = target.indexOf("?");
  return query === -1 ? undefined : (new URLSearchParams(target.slice(query)).get("v") ?? undefined);
}
