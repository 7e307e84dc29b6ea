import { AppError } from "@appserver/kernel";
import { fromBinary, fromJsonString } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { Code, ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalHandler, type UniversalServerRequest } from "@connectrpc/connect/protocol";

/** Content types of Connect, gRPC and gRPC-Web. */
const jsonType = /^application\/(?:(?:grpc|grpc-web)\+)?json(?:;|$)/i;

/**
 * Returns INVALID_REQUEST if the message of a unary call is not one of the method's type; undefined otherwise. Connect's own error
 * quotes JSON, which may contain a secret, and calls a binary message that it cannot decode an internal error.
 */
export function refusalOfUnreadable(
  { input }: UniversalHandler["method"],
  headers: Headers,
  message: Uint8Array,
): AppError | undefined {
  // An empty message may also be one that could not be inflated. Connect reports that itself.
  if (message.length === 0) return undefined;
  try {
    if (isJson(headers)) fromJsonString(input, Buffer.from(message).toString("utf8"), { ignoreUnknownFields: true });
    else fromBinary(input, message);
    return undefined;
  } catch (error) {
    const field = isFieldError(error) ? error.field() : undefined;
    const violations = field?.kind === "field" ? [{ field: field.jsonName, message: "does not match its type" }] : [];
    return unreadable(`the message is not an ${input.typeName} in ${isJson(headers) ? "JSON" : "binary"}`, violations);
  }
}

/** Yields the messages of a stream. Throws INVALID_REQUEST for one that is not of the method's type. */
export async function* readable<T>(messages: AsyncIterable<T>, { input }: UniversalHandler["method"]): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    // What else ends a stream has another code.
    const isUnreadable = error instanceof ConnectError && error.code === Code.Internal;
    throw isUnreadable ? unreadable(`a message is not an ${input.typeName}`) : error;
  }
}

function unreadable(message: string, violations: AppError["violations"] = []): AppError {
  return new AppError("INVALID_REQUEST", message, { violations });
}

/** Returns whether the messages of a call are JSON. */
export function isJson(headers: Headers): boolean {
  return jsonType.test(headers.get("content-type") ?? "");
}

/** Replaces the message of the call by an empty one, so that the interceptors can refuse the call in its own protocol. */
export function withEmptyMessage(call: UniversalServerRequest): UniversalServerRequest {
  const header = new Headers(call.header);
  for (const name of ["content-encoding", "content-length"]) header.delete(name);
  const message = isJson(header) ? "{}" : "";
  const isEnveloped = header.get("content-type")?.startsWith("application/grpc") ?? false;
  const envelope = isEnveloped ? `\0\0\0\0${String.fromCharCode(message.length)}` : "";
  return { ...call, header, body: createAsyncIterable([Buffer.from(envelope + message)]) };
}
