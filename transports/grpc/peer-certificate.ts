import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";

/** Cached by connection: parsing a certificate costs more than many calls. */
const known = new WeakMap<object, { readonly certificate: X509Certificate | undefined }>();

/** Returns the certificate with whose key the client opened the connection, if the server requested one. */
export function peerCertificate(request: IncomingMessage): X509Certificate | undefined {
  const { stream } = request as { readonly stream?: ServerHttp2Stream };
  const connection = stream?.session ?? request.socket;
  const seen = known.get(connection);
  if (seen) return seen.certificate;
  const socket = (stream?.session?.socket ?? request.socket) as Partial<TLSSocket>;
  const certificate = socket.encrypted ? socket.getPeerX509Certificate?.() : undefined;
  known.set(connection, { certificate });
  return certificate;
}
