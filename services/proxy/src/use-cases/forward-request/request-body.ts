import { Readable } from "node:stream";
import { BodyBuffer, type BodyReader, type BufferLease, type InboundBody, Rejection } from "@appserver/kernel";

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

function clientGone(): Rejection {
  return new Rejection("INVALID_REQUEST", "client_gone", "The client went away before its request was complete.");
}

/** Returns the listener's reason for ending the body, if it has one. Else the client ended it. */
function rejectionOf(error: Error | undefined): Rejection {
  return error?.cause instanceof Rejection ? error.cause : clientGone();
}

/** Reads the complete body. Rejects with a Rejection if it is too large or incomplete, and with the errors of the lease. */
export function bufferBody(body: InboundBody, limit: number, lease: BufferLease): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const buffer = new BodyBuffer(lease);
    const fail = (error: unknown): void => {
      body.stop();
      buffer.release();
      reject(error);
    };
    body.read({
      onData: (chunk) => {
        try {
          if (buffer.length + chunk.length > limit) throw bodyTooLarge(limit);
          buffer.add(chunk);
        } catch (error) {
          fail(error);
        }
      },
      onEnd: () => resolve(buffer.take()),
      onError: (error) => fail(rejectionOf(error)),
    });
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
 * A request's body on its way to the upstream, counted against the limit. It separates the two, because an HTTP client destroys the
 * body of a failed request, and the connection of the caller is needed for the error response.
 */
export class RequestBody extends Readable implements BodyReader {
  readonly #source: InboundBody;
  readonly #limit: number;
  readonly #onProgress: () => void;
  #length = 0;
  #isReading = false;
  /** True while the upstream accepts no more data. A pause is then caused by the upstream. */
  isBlocked = false;
  isComplete = false;

  constructor(source: InboundBody, limit: number, onProgress: () => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
    this.#limit = limit;
    this.#onProgress = onProgress;
    // The HTTP client removes its listener before it destroys the body of a failed request.
    this.on("error", () => {});
  }

  override _read(): void {
    this.isBlocked = false;
    if (this.#isReading) this.#source.resume();
    else {
      this.#isReading = true;
      this.#source.read(this);
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.isComplete) this.#source.stop();
    callback(error);
  }

  onData(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > this.#limit) {
      this.destroy(new RequestBodyError(bodyTooLarge(this.#limit)));
      return;
    }
    this.#onProgress();
    if (this.push(chunk)) return;
    this.isBlocked = true;
    this.#source.pause();
  }

  onEnd(): void {
    this.isComplete = true;
    this.#onProgress();
    this.push(null);
  }

  onError(error: Error | undefined): void {
    this.destroy(new RequestBodyError(rejectionOf(error)));
  }
}
