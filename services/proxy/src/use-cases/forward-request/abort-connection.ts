import type { IncomingMessage, ServerResponse } from "node:http";

interface ClosableStream {
  close(code: number): void;
}

const internalError = 2;

/** How long a client that is still sending gets to notice its answer. */
export const lingerMs = 2_000;

/**
 * Reads and drops what is left of a request that is answered already, which keeps the connection; a client that goes on
 * for too long loses it.
 */
export function drainRequest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(timer)).once("end", () => clearTimeout(timer));
  request.resume();
}

/** Breaks an answer off so that the client sees it as broken: the connection (HTTP/1.1), or the stream (HTTP/2). */
export function abortConnection(response: ServerResponse): void {
  if ("stream" in response) (response.stream as ClosableStream).close(internalError);
  else response.socket?.destroy();
}
