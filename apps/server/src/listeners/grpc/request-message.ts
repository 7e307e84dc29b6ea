import type { IncomingMessage } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";

/** Flag and length before each message of gRPC and gRPC-Web. */
const envelopeBytes = 5;
const compressions = [compressionGzip, compressionBrotli];

/** A body read ahead. */
export interface BufferedBody {
  readonly bytes: Uint8Array;
  /** Whether that is all; else the limit was passed, and the rest is thrown away. */
  readonly complete: boolean;
}

/**
 * Reads a body up to a little over `maxBytes`. What comes after is read and dropped, so that a stream refused for its size
 * can still end.
 */
export function bufferBody(request: IncomingMessage, maxBytes: number): Promise<BufferedBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (complete: boolean): void => {
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      const [only] = chunks;
      resolve({ bytes: only && chunks.length === 1 ? only : Buffer.concat(chunks, length), complete });
      request.resume();
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) settle(false);
    };
    const onEnd = (): void => settle(true);
    const onClose = (): void => reject(new ConnectError("the client broke off", Code.Aborted));
    request.on("data", onData).once("end", onEnd).once("close", onClose).once("error", onClose);
  });
}

/**
 * The serialised message of a unary call's body: for gRPC and gRPC-Web what is in the envelope, for Connect all of it,
 * inflated. Empty where it cannot be read; the protocol itself then refuses the call.
 */
export async function messageOfBody(body: Uint8Array, headers: Headers, maxBytes: number): Promise<Uint8Array> {
  const isEnveloped = headers.get("content-type")?.startsWith("application/grpc") ?? false;
  if (!isEnveloped) return inflate(body, headers.get("content-encoding"), maxBytes);
  if (body.length < envelopeBytes) return new Uint8Array();
  const length = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(1);
  const message = body.subarray(envelopeBytes, envelopeBytes + length);
  const isCompressed = ((body[0] ?? 0) & 1) === 1;
  return isCompressed ? inflate(message, headers.get("grpc-encoding"), maxBytes) : message;
}

async function inflate(bytes: Uint8Array, encoding: string | null, maxBytes: number): Promise<Uint8Array> {
  if (encoding === null || encoding === "identity") return bytes;
  const compression = compressions.find(({ name }) => name === encoding);
  if (!compression) return new Uint8Array();
  return compression.decompress(bytes, maxBytes).catch(() => new Uint8Array());
}
