import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { toErrorResponse } from "./error-response.ts";
import { unknownMethod, writeUnknownMethod } from "./known-methods.ts";
import { NodeRequest } from "./node-request.ts";
import { requestIdOf } from "./request-context.ts";

/** Sends the response to a handshake that is refused. */
export function refuseUpgrade(socket: Duplex, thrown: unknown, requestId: string): void {
  if (!socket.writable) return;
  const { headers, ...response } = toErrorResponse(thrown);
  writePlain(socket, { ...response, headers: { ...headers, "x-request-id": requestId } });
}

/** Sends the response for a request that Node's parser refused. */
export function refuseMalformed(error: ParserError, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  writePlain(socket, toErrorResponse(refusalOf(error)));
}

function refusalOf(error: ParserError): unknown {
  if (error.code === "HPE_INVALID_METHOD" && isAtMethod(error)) return unknownMethod();
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return { statusCode: 408 };
  return { statusCode: error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400 };
}

/** Responds to CONNECT, which Node emits as an event of its own on both protocols. The server is no tunnel. */
export function refuseConnect(server: Pick<Server, "on">): void {
  server.on("connect", (request: IncomingMessage, target: Duplex | ServerResponse) => {
    if (request.httpVersionMajor === 2) {
      writeUnknownMethod(request, target as ServerResponse);
      return;
    }
    const socket = target as Duplex;
    socket.on("error", () => socket.destroy());
    refuseUpgrade(socket, unknownMethod(), requestIdOf(new NodeRequest(request)));
  });
}

/** An error of Node's parser, with the bytes that it had. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  /** How many of them it accepted. */
  readonly bytesParsed?: number;
}

/** Returns whether the line that the parser refused begins as a request does. The parser stops within the method. */
function isAtMethod({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (!rawPacket) return false;
  const begin = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf("\n", bytesParsed - 1) + 1;
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [/*A-Za-z]/.test(rawPacket.toString("latin1", begin, begin + longestMethod));
}

/** A longer one is refused as well, with 400. */
const longestMethod = 256;

function writePlain(socket: Duplex, response: ReturnType<typeof toErrorResponse>): void {
  const headers = { ...response.headers, "content-length": String(Buffer.byteLength(response.body)), connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines.join("\r\n")}\r\n\r\n${response.body}`);
}
