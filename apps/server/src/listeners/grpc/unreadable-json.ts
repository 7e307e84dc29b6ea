import { AppError } from "@appserver/kernel";
import { fromJsonString } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { createAsyncIterable, type UniversalHandler, type UniversalServerRequest } from "@connectrpc/connect/protocol";

/** Connect's, gRPC's and gRPC-Web's. */
const jsonType = /^application\/(?:(?:grpc|grpc-web)\+)?json(?:;|$)/i;

/**
 * INVALID_REQUEST for the message of a unary call that should be JSON and is not, or not of the method's type; undefined where
 * it is fine, or no JSON. Connect's own words quote the message, and what they quote may be a secret.
 */
export function refusalOfJson(
  { input }: UniversalHandler["method"],
  headers: Headers,
  message: Uint8Array,
): AppError | undefined {
  // Empty is also what could not be inflated, for which Connect has words of its own.
  if (message.length === 0 || !isJson(headers)) return undefined;
  try {
    fromJsonString(input, Buffer.from(message).toString("utf8"), { ignoreUnknownFields: true });
    return undefined;
  } catch (error) {
    const field = isFieldError(error) ? error.field() : undefined;
    const violations = field?.kind === "field" ? [{ field: field.jsonName, message: "is not of its type" }] : [];
    return new AppError("INVALID_REQUEST", `the message is no ${input.typeName} in JSON`, { violations });
  }
}

/** Whether the messages of a call are JSON. */
export function isJson(headers: Headers): boolean {
  return jsonType.test(headers.get("content-type") ?? "");
}

/** The call with an empty message in place of its own, for interceptors to refuse in the call's own protocol. */
export function withEmptyMessage(call: UniversalServerRequest): UniversalServerRequest {
  const header = new Headers(call.header);
  for (const name of ["content-encoding", "content-length"]) header.delete(name);
  const message = isJson(header) ? "{}" : "";
  const isEnveloped = header.get("content-type")?.startsWith("application/grpc") ?? false;
  const envelope = isEnveloped ? `\0\0\0\0${String.fromCharCode(message.length)}` : "";
  return { ...call, header, body: createAsyncIterable([Buffer.from(envelope + message)]) };
}
