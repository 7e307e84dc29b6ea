import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";

/** By connection: taking a certificate apart costs more than many a call. */
const known = new WeakMap<object, { readonly certificate: X509Certificate | undefined }>();

/** The certificate with whose key the client opened the connection, where it was asked for one. */
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
