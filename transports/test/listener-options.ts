import { BufferBudget } from "@appserver/kernel";
import type { GrpcListenerOptions } from "../grpc/index.ts";
import type { HttpListenerOptions, ServerLimits } from "../http/index.ts";

/** Limits of a test's listener. */
export const limits: ServerLimits = {
  headersTimeoutMs: 15_000,
  readTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  idleTimeoutMs: 120_000,
  maxHeaderBytes: 1_048_576,
  maxConcurrentStreams: 100,
  maxConnectionAgeMs: 0,
};

export const httpOptions = {
  http2: true,
  plainPath: true,
  trustedProxies: [],
  limits,
  drainDelayMs: 0,
  shutdownTimeoutMs: 30_000,
  metricsAccess: { allow: ["127.0.0.0/8", "::1"] },
} as const satisfies Partial<HttpListenerOptions>;

/** Returns the options of a gRPC listener with a separate budget. */
export function grpcOptions() {
  const budget = new BufferBudget({ totalBytes: 256 * 1024 * 1024 });
  return { reflection: false, limits, shutdownTimeoutMs: 30_000, budget } as const satisfies Partial<GrpcListenerOptions>;
}
