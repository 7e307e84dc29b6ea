import type { Clock, Logger } from "@appserver/kernel";
import { actorOf, runInTrace } from "@appserver/kernel";
import type { Metrics, Tracer } from "@appserver/kernel/ports";
import { Code, type Interceptor, type StreamResponse, type UnaryResponse } from "@connectrpc/connect";
import {
  type AuthenticateCall,
  callerKey,
  clientCertificateKey,
  messageBytesKey,
  requestIdKey,
  unreadableKey,
} from "./call-context.ts";
import { CallTelemetry } from "./call-telemetry.ts";
import { toConnectError } from "./connect-errors.ts";

export interface CallInterceptorOptions {
  readonly authenticate: AuthenticateCall;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

type CallResponse = UnaryResponse | StreamResponse;

/** What every call passes, in order: log and errors outermost, then the caller. */
export function callInterceptors(options: CallInterceptorOptions): Interceptor[] {
  return [logAndMapErrors(options), authenticateCaller(options)];
}

function logAndMapErrors({ logger, clock, metrics, tracer }: CallInterceptorOptions): Interceptor {
  const telemetry = new CallTelemetry(metrics, tracer);
  return (next) => async (request) => {
    const startedAt = clock.monotonic();
    const called = { service: request.service.typeName, method: request.method.name };
    const call = telemetry.begin(called, !request.stream, request.header.get("traceparent") ?? undefined);
    const requestId = request.contextValues.get(requestIdKey);
    const log = (code: string): void => {
      const durationMs = Math.round((clock.monotonic() - startedAt) * 1000) / 1000;
      const caller = actorOf(request.contextValues.get(callerKey));
      logger.info({ requestId, rpc: `${called.service}/${called.method}`, code, caller, durationMs }, "call");
      call.finished(code, durationMs);
    };
    const fail = (error: unknown): never => {
      const mapped = toConnectError(error, logger, requestId);
      log(Code[mapped.code]);
      throw mapped;
    };
    const unreadable = request.contextValues.get(unreadableKey);
    if (unreadable) fail(unreadable);
    const response: CallResponse = await runInTrace(call.traceparent, () => next(request)).catch(fail);
    response.header.set("x-request-id", requestId);
    if (response.stream) return { ...response, message: watched(response.message, log, fail) };
    log("OK");
    return response;
  };
}

/** A stream fails, and ends, long after its call began. */
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

function authenticateCaller({ authenticate }: CallInterceptorOptions): Interceptor {
  return (next) => async (request) => {
    // Health and reflection are for load balancers and tools, which have no identity here.
    if (request.service.typeName.startsWith("grpc.")) return next(request);
    const { contextValues, header, requestMethod } = request;
    const path = `/${request.service.typeName}/${request.method.name}`;
    const message = contextValues.get(messageBytesKey);
    const clientCertificate = contextValues.get(clientCertificateKey);
    const credentials = { method: requestMethod, path, headers: header, message };
    const caller = await authenticate(clientCertificate ? { ...credentials, clientCertificate } : credentials);
    contextValues.set(callerKey, caller);
    return next(request);
  };
}
