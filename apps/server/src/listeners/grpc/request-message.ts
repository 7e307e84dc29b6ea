import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { BodyBuffer, type BufferLease } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";

/** Flag and length before each message of gRPC and gRPC-Web. */
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
  /** Until the last byte has arrived, from now on; 0 for no limit. */
  readonly readTimeoutMs: number;
}

/**
 * The message of a unary call, read when something asks for it and only once: until then it waits in the network's own buffers,
 * which flow control keeps small.
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
   * Rejects with RESOURCE_EXHAUSTED for a message that is larger, before or after inflation; DEADLINE_EXCEEDED when it does not
   * arrive in time; ABORTED when the client breaks off; and as the lease does. `maxBytes` counts at the first call.
   */
  read(maxBytes: number): Promise<ReceivedMessage> {
    this.#received ??= this.#receive(maxBytes).finally(() => this.stop());
    return this.#received;
  }

  /** No message is wanted any more. */
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
   * A message that says at its beginning that it is too large is refused there. What comes after a refusal is read and dropped,
   * so that a client that writes first and reads later gets its answer.
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

/** Whether the client had left before anybody read. */
export function isGone(request: IncomingMessage): boolean {
  const { stream } = request as { readonly stream?: ServerHttp2Stream };
  return request.destroyed || stream?.destroyed === true;
}

/**
 * The serialised message in a body: for gRPC and gRPC-Web what is in the envelope, for Connect all of it, inflated. Empty where
 * it cannot be read; the protocol itself then refuses the call. Rejects with RESOURCE_EXHAUSTED when it inflates beyond `maxBytes`.
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
  return new ConnectError("the client broke off", Code.Aborted);
}
