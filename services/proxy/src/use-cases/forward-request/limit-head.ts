import { HeaderBlock, Rejection } from "@appserver/kernel";
import { forwardRequestHeaders } from "../../domain/header-rules.ts";
import type { Forwarded, ProxiedRequest } from "./proxied-request.ts";
import type { Step } from "./step.ts";

const handshakeHeader = /^sec-websocket-(?:key|version|protocol|extensions)$/i;
/** Between name and value, and behind the value. */
const separatorBytes = ": \r\n".length;

/**
 * Selects what the backend receives of the request's head, and refuses more than `maxBytes` of it. A backend that refuses headers by
 * itself may reset the connection, which would look like its own failure (docs/interface/proxy.md#request-headers).
 */
export function limitHead(maxBytes: number): Step {
  return (proxied) => {
    const forwarded = forwardedOf(proxied);
    const bytes = proxied.match.path.length + (proxied.host?.length ?? 0) + forwarded.bytes;
    if (bytes > maxBytes) throw headTooLarge(bytes, maxBytes);
    proxied.forwarded = forwarded;
  };
}

/** Returns what is selected once for all requests of a connection that have the same headers. */
function forwardedOf({ request, match, isUpgrade }: ProxiedRequest): Forwarded {
  const rules = match.app.compiled.forwardable;
  const known = request.derived?.get(rules) as Forwarded | undefined;
  if (known !== undefined) return known;
  const headers = forwardRequestHeaders(request.fields, rules, request.header("connection"));
  if (isUpgrade) pushHandshake(headers, request.fields);
  const bytes = bytesOf(headers) + (request.header("via")?.length ?? 0);
  const at = headers.indexOf("content-length");
  // At an odd place it is a value.
  const [, length] = at >= 0 && at % 2 === 0 ? headers.splice(at, 2) : [];
  const forwarded = { shared: new HeaderBlock(headers), length, bytes };
  request.derived?.set(rules, forwarded);
  return forwarded;
}

function pushHandshake(headers: string[], raw: readonly string[]): void {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    if (handshakeHeader.test(name)) headers.push(name, raw[i + 1] ?? "");
  }
}

/** Characters of headers are bytes (Latin-1). */
function bytesOf(headers: readonly string[]): number {
  let bytes = 0;
  for (let i = 0; i < headers.length; i += 2) {
    bytes += (headers[i] as string).length + (headers[i + 1] as string).length + separatorBytes;
  }
  return bytes;
}

function headTooLarge(bytes: number, maxBytes: number): Rejection {
  const message = `The path, the query and the headers that the app would receive have ${bytes} bytes: at most ${maxBytes} are forwarded.`;
  return new Rejection("INVALID_REQUEST", "head_too_large", message, { details: { max_forwarded_bytes: maxBytes } });
}
