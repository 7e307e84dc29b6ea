import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { toErrorResponse } from "./error-response.ts";

/** Sends the response to a handshake that is refused. */
export function refuseUpgrade(socket: Duplex, thrown: unknown): void {
  if (!socket.writable) return;
  writePlain(socket, toErrorResponse(thrown));
}

/** Sends the response for a request that Node's parser refused. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  writePlain(socket, toErrorResponse({ statusCode: error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : status }));
}

function writePlain(socket: Duplex, response: ReturnType<typeof toErrorResponse>): void {
  const headers = { ...response.headers, "content-length": String(Buffer.byteLength(response.body)), connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines.join("\r\n")}\r\n\r\n${response.body}`);
}
