import type { IncomingMessage, ServerResponse } from "node:http";

interface ClosableStream {
  close(code: number): void;
}

const internalError = 2;

/** How long a client that is still sending has to notice its response. */
const lingerMs = 2_000;

/**
 * Reads and drops the rest of a request that already has a response, which keeps the connection. A client that continues
 * sending for too long loses it.
 */
export function drainRequest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(timer)).once("end", () => clearTimeout(timer));
  request.resume();
}

/** Aborts a response so that the client sees it as incomplete: the connection (HTTP/1.1) or the stream (HTTP/2). */
export function abortConnection(response: ServerResponse): void {
  if ("stream" in response) (response.stream as ClosableStream).close(internalError);
  else response.socket?.destroy();
}

/** Removes what a refused call of `writeHead` has left in the response. */
export function forgetHead(response: ServerResponse): void {
  if (!("stream" in response)) {
    response.statusMessage = "";
    return;
  }
  for (const name of response.getHeaderNames()) {
    // HTTP/2 of Node removes no date.
    if (name === "date") response.setHeader(name, new Date().toUTCString());
    else response.removeHeader(name);
  }
}

/**
 * Sends the rest of a response, and closes the connection only when the client has stopped sending or the linger time is over.
 * Closing a connection with unread bytes resets it, and the client may then lose the response.
 */
export function endAfterLingering(request: IncomingMessage, response: ServerResponse, rest?: Buffer): void {
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    endResponse(response);
  };
  const timer = setTimeout(end, lingerMs).unref();
  request.once("end", end).once("close", end).resume();
  if (rest) response.write(rest);
  else response.flushHeaders();
}

function endResponse(response: ServerResponse): void {
  if (!response.writableEnded) response.end();
}
