import { redirectsHeader, refusedRedirects } from "@appserver/contracts/redirects";
import type { PageRequest } from "@appserver/sdk/page";

type Upload = Required<Pick<PageRequest, "method" | "headers" | "onUpload">> & {
  readonly body: NonNullable<PageRequest["body"]> | null;
  readonly signal: AbortSignal | null;
};

/**
 * Sends a request and reports how much of its body was sent, which `fetch` cannot. A redirection becomes a response 502 of the platform: the
 * browser would follow it with the session of the viewer and the body of the page, to another app or to the platform. Rejects with a
 * TypeError without a response.
 */
export function upload(url: URL, { method, headers, body, onUpload, signal }: Upload): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = "arraybuffer";
    // A second value would stand next to the platform's own.
    for (const [name, value] of Object.entries(headers))
      if (name.toLowerCase() !== redirectsHeader) request.setRequestHeader(name, value);
    request.setRequestHeader(redirectsHeader, refusedRedirects);
    request.upload.onprogress = ({ loaded, total }) => onUpload(loaded, total);
    request.onload = () => {
      resolve(responseOf(request));
    };
    request.onerror = () => reject(new TypeError("there was no response"));
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** Statuses whose responses must not have a body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(request: XMLHttpRequest): Response {
  const { status, statusText } = request;
  const lines = request.getAllResponseHeaders().trim().split("\r\n").filter(Boolean);
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(":")),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  return new Response(withoutBody.has(status) ? null : (request.response as ArrayBuffer), { status, statusText, headers });
}
