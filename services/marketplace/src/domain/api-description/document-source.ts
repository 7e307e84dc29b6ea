import type { AppApi } from "@appserver/contracts/manifest";
import { upstreamUrl } from "@appserver/contracts/patterns";
import type { Backend } from "../live-app.ts";
import type { DocumentSource } from "./description-reading.ts";

/** Returns where the document of an API is. Undefined if the manifest names none, or while a backend that has it has no address. */
export function documentOf(
  { openapiUrl }: Pick<AppApi, "openapiUrl">,
  backend: Pick<Backend, "url" | "managed"> | undefined,
): DocumentSource | undefined {
  if (openapiUrl === undefined) return undefined;
  if (!openapiUrl.startsWith("/")) return { url: openapiUrl, managed: false, isBackend: false };
  return backend && { url: upstreamUrl(backend.url, openapiUrl).href, managed: backend.managed, isBackend: true };
}
