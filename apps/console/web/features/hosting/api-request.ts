import { apiPath } from "@appserver/contracts/api-path";
import type { PageRequest } from "@appserver/sdk/page";
import { upload } from "./upload.ts";

/** Sends a request of a page to its own API with the session of the viewer, in the trace of the page if it names no other. Rejects with a TypeError if the path leads elsewhere. */
export async function sendToApi(appName: string, path: string, request: PageRequest, traceparent?: string): Promise<Response> {
  const { method = "GET", body = null, onUpload, signal = null } = request;
  const headers = { ...(traceparent !== undefined && { traceparent }), ...request.headers };
  const url = urlBelow(appName, path);
  if (onUpload) return await upload(url, { method, headers, body, onUpload, signal });
  return await fetch(url, { method, headers, body, signal, credentials: "same-origin", redirect: "manual" });
}

/** Browsers resolve `..` before they send a request, and so does this. */
function urlBelow(appName: string, path: string): URL {
  const base = apiPath(appName);
  const url = new URL(base + (path.startsWith("/") ? path : `/${path}`), location.origin);
  const isBelow = url.origin === location.origin && url.pathname.startsWith(`${base}/`);
  if (!isBelow) throw new TypeError(`${path} is not a path of the API of ${appName}`);
  return url;
}
