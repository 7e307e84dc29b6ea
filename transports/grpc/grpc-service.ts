import { type BufferLease, type Call, currentTraceparent } from "@appserver/kernel";
import type { DescService } from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { callerKey, leaseKey, requestIdKey, requiredKey } from "./call-context.ts";

/** A call over gRPC, as every method gets it. */
export interface GrpcCall extends Call {
  /** Returns a value of the metadata by its lower-case name. */
  header(name: string): string | undefined;
  /** Counts the memory that the call holds. The transport releases it. */
  readonly lease: BufferLease;
}

/** The methods of a service, each with a {@link GrpcCall} in place of Connect's context. */
export type GrpcMethods<T extends DescService> = {
  readonly [Name in keyof ServiceImpl<T>]?: ServiceImpl<T>[Name] extends (
    request: infer Request,
    context: HandlerContext,
  ) => infer Response
    ? (request: Request, call: GrpcCall) => Response
    : never;
};

/** One protobuf service with its implementation. Created by {@link grpcService}. */
export interface GrpcService {
  readonly service: DescService;
  readonly register: (router: ConnectRouter) => void;
}

/** Pairs a service with its implementation. Omitted methods return UNIMPLEMENTED. */
export function grpcService<T extends DescService>(service: T, methods: GrpcMethods<T>): GrpcService {
  const entries = Object.entries<Method | undefined>(methods).map(([name, method]) => [
    name,
    method && ((request: never, context: HandlerContext) => method(request, callOf(context))),
  ]);
  const implementation: Partial<ServiceImpl<T>> = Object.fromEntries(entries);
  return { service, register: (router) => router.service(service, implementation) };
}

type Method = (request: never, call: GrpcCall) => unknown;

function callOf({ values, signal, requestHeader }: HandlerContext): GrpcCall {
  return {
    caller: values.get(callerKey),
    signal,
    requestId: values.get(requestIdKey),
    traceparent: currentTraceparent(),
    required: values.get(requiredKey),
    header: (name) => requestHeader.get(name) ?? undefined,
    lease: values.get(leaseKey),
  };
}
