import { type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import { AppError } from "@appserver/kernel";
import { HttpStatusError, writeNodeError } from "./error-response.ts";
import { NodeRequest } from "./node-request.ts";
import { requestIdOf } from "./request-context.ts";

/** What HTTP/1.1's parser accepts. Over HTTP/2 Node accepts any text as a method. */
const known: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== "CONNECT"));

/** Returns whether the method is one that the server implements. */
export function isKnownMethod({ method }: IncomingMessage): boolean {
  return method !== undefined && known.has(method);
}

/** Returns the error for a method that the server does not implement: 501 (RFC 9110 §9.1). */
export function unknownMethod(): HttpStatusError {
  const text = "the method of the request is not one that this server implements";
  return new HttpStatusError(501, new AppError("INVALID_REQUEST", text));
}

/**
 * Returns a handler that responds with 501 to methods that the server does not implement. The given handler gets no such request, so that
 * nothing counts, logs or stores a text that the caller made up.
 */
export function refuseUnknownMethods(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    if (isKnownMethod(request)) handler(request, response);
    else writeUnknownMethod(request, response);
  };
}

/** Sends the 501 response. */
export function writeUnknownMethod(request: IncomingMessage, response: ServerResponse): void {
  writeNodeError(request, response, unknownMethod(), requestIdOf(new NodeRequest(request)));
}
