import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { BodyBuffer, type BufferLease, Rejection } from "@appserver/kernel";

/** Returns whether a body follows the headers. */
export function hasBody(request: IncomingMessage): boolean {
  if ("stream" in request) return !(request.stream as { readonly endAfterHeaders: boolean }).endAfterHeaders;
  const length = request.headers["content-length"];
  return request.headers["transfer-encoding"] !== undefined || (length !== undefined && Number(length) !== 0);
}

export function bodyTooLarge(limit: number): Rejection {
  return new Rejection(
    "INVALID_REQUEST",
    "body_too_large",
    `The request body is too large: at most ${limit} bytes are accepted.`,
    {
      details: { max_body_bytes: limit },
    },
  );
}

export function clientGone(): Rejection {
  return new Rejection("INVALID_REQUEST", "client_gone", "The client went away before its request was complete.");
}

/** Returns the listener's reason for ending the body, if it has one. Else the client ended it. */
function rejectionOf(error: Error | undefined): Rejection {
  return error?.cause instanceof Rejection ? error.cause : clientGone();
}

/** Reads the complete body. Rejects with a Rejection if it is too large or incomplete, and with the errors of the lease. */
export function bufferBody(request: IncomingMessage, limit: number, lease: BufferLease): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const buffer = new BodyBuffer(lease);
    const stop = (): void => {
      request.removeListener("data", onData).removeListener("end", onEnd).removeListener("close", onClose);
      request.removeListener("error", onClose);
    };
    const fail = (error: unknown): void => {
      stop();
      buffer.release();
      request.pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        if (buffer.length + chunk.length > limit) throw bodyTooLarge(limit);
        buffer.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(buffer.take());
    };
    const onClose = (error?: Error): void => fail(rejectionOf(error));
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/** The reason why a body could not be forwarded. The request caused it, not the upstream. */
export class RequestBodyError extends Error {
  override readonly name = "RequestBodyError";
  readonly code = "REQUEST_BODY";
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

/**
 * A request's body on its way to the upstream, counted against the limit. It separates the two streams, because an HTTP client
 * destroys the body of a failed request. Destroying the message itself would close the connection that the error response
 * needs.
 */
export class RequestBody extends Readable {
  readonly #source: IncomingMessage;
  readonly #limit: number;
  readonly #onProgress: () => void;
  #length = 0;
  #isReading = false;
  /** True while the upstream accepts no more data. A pause is then caused by the upstream. */
  isBlocked = false;
  isComplete = false;

  constructor(source: IncomingMessage, limit: number, onProgress: () => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
    this.#limit = limit;
    this.#onProgress = onProgress;
    // The HTTP client removes its listener before it destroys the body of a failed request.
    this.on("error", () => {});
  }

  override _read(): void {
    this.isBlocked = false;
    if (!this.#isReading) {
      this.#isReading = true;
      this.#source.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("error", this.#onClose);
    }
    this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const source = this.#source;
    source.removeListener("data", this.#onData).removeListener("end", this.#onEnd);
    source.removeListener("close", this.#onClose).removeListener("error", this.#onClose);
    if (!this.isComplete) source.pause();
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#length += chunk.length;
    if (this.#length > this.#limit) {
      this.destroy(new RequestBodyError(bodyTooLarge(this.#limit)));
      return;
    }
    this.#onProgress();
    if (this.push(chunk)) return;
    this.isBlocked = true;
    this.#source.pause();
  };

  readonly #onEnd = (): void => {
    this.isComplete = true;
    this.#onProgress();
    this.push(null);
  };

  readonly #onClose = (error?: Error): void => {
    if (!this.isComplete) this.destroy(new RequestBodyError(rejectionOf(error)));
  };
}
