import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { BodyBuffer, type BufferLease } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";

/** Size of flag and length before each message of gRPC and gRPC-Web. */
const envelopeBytes = 5;
const compressions = [compressionGzip, compressionBrotli];

/** A unary call's body, and the serialised message in it. */
export interface ReceivedMessage {
  readonly body: Uint8Array;
  readonly message: Uint8Array;
}

export interface RequestMessageOptions {
  readonly request: IncomingMessage;
  readonly headers: Headers;
  readonly lease: BufferLease;
  /** Time limit for the whole message, from now on; 0 for no limit. */
  readonly readTimeoutMs: number;
}

/**
 * The message of a unary call. It is read only once, on demand: until then it waits in the network buffers, which flow control
 * keeps small.
 */
export class RequestMessage {
  readonly #options: RequestMessageOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #received: Promise<ReceivedMessage> | undefined;
  #fail: (error: Error) => void = () => {};
  #isLate = false;

  constructor(options: RequestMessageOptions) {
    this.#options = options;
    const { readTimeoutMs } = options;
    if (readTimeoutMs > 0) this.#timer = setTimeout(() => this.#onLate(), readTimeoutMs);
  }

  /**
   * Rejects with RESOURCE_EXHAUSTED for a larger message, before or after inflation; DEADLINE_EXCEEDED if it does not arrive in
   * time; ABORTED if the client disconnects; and with the errors of the lease. Only the first call's `maxBytes` counts.
   */
  read(maxBytes: number): Promise<ReceivedMessage> {
    this.#received ??= this.#receive(maxBytes).finally(() => this.stop());
    return this.#received;
  }

  /** Stops the timer: the message is not needed any more. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #onLate(): void {
    this.#isLate = true;
    this.#fail(tooLate());
  }

  async #receive(maxBytes: number): Promise<ReceivedMessage> {
    const { headers, lease } = this.#options;
    const isEnveloped = headers.get("content-type")?.startsWith("application/grpc") ?? false;
    const body = await this.#buffer(isEnveloped ? envelopeBytes : 0, maxBytes);
    const message = await messageOfBody(body, headers, maxBytes);
    if (message.buffer !== body.buffer) lease.take(message.length);
    return { body, message };
  }

  /**
   * Buffers the body. Refuses a message as soon as its prefix announces that it is too large. After a refusal the rest is read
   * and dropped, so that a client that writes first and reads later gets the response.
   */
  #buffer(prefixBytes: number, maxBytes: number): Promise<Uint8Array> {
    const { request, lease } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.#isLate) return reject(tooLate());
      if (isGone(request)) return reject(brokenOff());
      const buffer = new BodyBuffer(lease);
      let prefix = Buffer.alloc(0);
      const settle = (act: () => void): void => {
        request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
        this.#fail = () => {};
        act();
        request.resume();
      };
      const fail = (error: unknown): void => {
        settle(() => {
          buffer.release();
          reject(error);
        });
      };
      const onData = (chunk: Buffer): void => {
        try {
          if (prefix.length < prefixBytes) {
            prefix = Buffer.concat([prefix, chunk.subarray(0, prefixBytes - prefix.length)]);
            if (prefix.length === prefixBytes && prefix.readUInt32BE(1) > maxBytes) throw tooLarge(maxBytes);
          }
          if (buffer.length + chunk.length > prefixBytes + maxBytes) throw tooLarge(maxBytes);
          buffer.add(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const onEnd = (): void => settle(() => resolve(buffer.take()));
      const onClose = (): void => fail(brokenOff());
      this.#fail = fail;
      request.on("data", onData).once("end", onEnd).once("close", onClose).once("error", onClose);
    });
  }
}

/** Returns whether the client disconnected before the request was read. */
export function isGone(request: IncomingMessage): boolean {
  const { stream } = request as { readonly stream?: ServerHttp2Stream };
  return request.destroyed || stream?.destroyed === true;
}

/**
 * Returns the serialised message in a body, inflated: for gRPC and gRPC-Web the content of the envelope, for Connect the whole
 * body. Returns empty bytes if it cannot be read; the protocol itself then refuses the call. Rejects with RESOURCE_EXHAUSTED if
 * it inflates beyond `maxBytes`.
 */
async function messageOfBody(body: Uint8Array, headers: Headers, maxBytes: number): Promise<Uint8Array> {
  const isEnveloped = headers.get("content-type")?.startsWith("application/grpc") ?? false;
  if (!isEnveloped) return inflate(body, headers.get("content-encoding"), maxBytes);
  if (body.length < envelopeBytes) return new Uint8Array();
  const length = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(1);
  if (length > maxBytes) throw tooLarge(maxBytes);
  const message = body.subarray(envelopeBytes, envelopeBytes + length);
  const isCompressed = ((body[0] ?? 0) & 1) === 1;
  return isCompressed ? inflate(message, headers.get("grpc-encoding"), maxBytes) : message;
}

async function inflate(bytes: Uint8Array, encoding: string | null, maxBytes: number): Promise<Uint8Array> {
  if (encoding === null || encoding === "identity") return bytes;
  const compression = compressions.find(({ name }) => name === encoding);
  if (!compression) return new Uint8Array();
  return compression.decompress(bytes, maxBytes).catch((error: unknown) => {
    if (ConnectError.from(error).code === Code.ResourceExhausted) throw tooLarge(maxBytes);
    return new Uint8Array();
  });
}

export function tooLarge(maxBytes: number): ConnectError {
  return new ConnectError(`the message is larger than the ${maxBytes} bytes that this caller may send`, Code.ResourceExhausted);
}

export function tooLate(): ConnectError {
  return new ConnectError("the message did not arrive in time", Code.DeadlineExceeded);
}

function brokenOff(): ConnectError {
  return new ConnectError("the client disconnected", Code.Aborted);
}
