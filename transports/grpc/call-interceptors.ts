import type { Clock, LiveConnections, Logger } from "@appserver/kernel";
import { actorOf, requireInputTexts, runInTrace, subjectOf } from "@appserver/kernel";
import type { Metrics, Tracer } from "@appserver/kernel/ports";
import { isMessage } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, type Interceptor, type StreamResponse, type UnaryResponse } from "@connectrpc/connect";
import { callerKey, type ReauthenticationOfCall, refusalKey, requestIdKey, requiredKey } from "./call-context.ts";
import { CallTelemetry } from "./call-telemetry.ts";
import { toConnectError } from "./connect-errors.ts";
import { RecheckedStream } from "./rechecked-stream.ts";
import { readable } from "./unreadable-message.ts";

export interface CallInterceptorOptions {
  readonly reauthentication: ReauthenticationOfCall;
  /** Registry for streams. It checks their callers again. */
  readonly connections: Pick<LiveConnections, "join">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

type CallResponse = UnaryResponse | StreamResponse;

/**
 * Returns the interceptors of every authenticated call, in order: log and errors outermost, then repeated checks of streams,
 * then message checks.
 */
export function callInterceptors(options: CallInterceptorOptions): Interceptor[] {
  return [logAndMapErrors(options), recheckStreams(options), checkMessages];
}

function logAndMapErrors({ logger, clock, metrics, tracer }: CallInterceptorOptions): Interceptor {
  const telemetry = new CallTelemetry(metrics, tracer);
  return (next) => async (request) => {
    const startedAt = clock.monotonic();
    const called = { service: request.service.typeName, method: request.method.name };
    const isKnown = subjectOf(request.contextValues.get(callerKey)) !== undefined;
    const call = telemetry.begin(called, !request.stream, request.header.get("traceparent") ?? undefined, isKnown);
    const requestId = request.contextValues.get(requestIdKey);
    const log = (code: string): void => {
      const durationMs = Math.round((clock.monotonic() - startedAt) * 1000) / 1000;
      const caller = actorOf(request.contextValues.get(callerKey));
      logger.info({ requestId, rpc: `${called.service}/${called.method}`, code, caller, durationMs }, "call");
      call.finished(code, durationMs);
    };
    const fail = (error: unknown): never => {
      const mapped = toConnectError(error, logger, requestId, request.signal);
      log(Code[mapped.code]);
      throw mapped;
    };
    const refusal = request.contextValues.get(refusalKey);
    if (refusal) fail(refusal);
    const response: CallResponse = await runInTrace(call.traceparent, () => next(request)).catch(fail);
    response.header.set("x-request-id", requestId);
    if (response.stream) return { ...response, message: watched(response.message, log, fail) };
    log("OK");
    return response;
  };
}

/** Logs the end or the failure of a stream, which comes long after its call began. */
async function* watched<T>(
  messages: AsyncIterable<T>,
  log: (code: string) => void,
  fail: (error: unknown) => never,
): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    fail(error);
  }
  log("OK");
}

/**
 * Ends streams whose callers are not authenticated any more. Client streams are exempt: they send out nothing and end with the
 * client.
 */
function recheckStreams({ reauthentication, connections }: CallInterceptorOptions): Interceptor {
  return (next) => async (request) => {
    // Health and reflection are for load balancers and tools, which have no identity here.
    if (request.service.typeName.startsWith("grpc.")) return next(request);
    if (!request.stream || request.method.methodKind === "client_streaming") return next(request);
    const { contextValues, header, requestMethod } = request;
    const caller = contextValues.get(callerKey);
    const call = { method: requestMethod, path: `/${request.service.typeName}/${request.method.name}`, headers: header };
    const stream = new RecheckedStream(caller, reauthentication(call, caller), connections);
    contextValues.set(requiredKey, stream.required);
    return stream.run(request, next);
  };
}

/** Refuses texts that cannot be stored before an implementation receives them. */
const checkMessages: Interceptor = (next) => (request) => {
  if (request.stream) return next({ ...request, message: checked(readable(request.message, request.method)) });
  checkMessage(request.message);
  return next(request);
};

async function* checked<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const message of messages) {
    checkMessage(message);
    yield message;
  }
}

function checkMessage(message: unknown): void {
  requireInputTexts(message, { name: "message", memberName: protoName, objectProblem: valueProblem });
}

/** Checks a `google.protobuf.Value`: on the wire it may have no value, or a number that JSON cannot represent. */
function valueProblem(message: object): string | undefined {
  if (!isMessage(message, ValueSchema)) return undefined;
  if (message.kind.case === undefined) return "must be a value";
  return message.kind.case === "numberValue" && !Number.isFinite(message.kind.value) ? "must be a finite number" : undefined;
}

/** Returns the name of a field in the .proto file. Messages in memory use camel case. */
function protoName(localName: string): string {
  return localName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
