import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@appserver/contracts/proto/grpc/health/v1/health";
import type { Clock } from "@appserver/kernel";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HealthChecks } from "../http/health-checks.ts";
import { type GrpcService, grpcService } from "./grpc-service.ts";

/** Interval between reads of a watched status. */
const watchIntervalMs = 5000;

/**
 * Creates `grpc.health.v1.Health` (https://github.com/grpc/grpc/blob/master/doc/health-checking.md). The empty name stands for
 * the whole server. Each of its services has the status of the server.
 */
export function healthService(health: HealthChecks, serviceNames: readonly string[], clock: Clock): GrpcService {
  const names = new Set(["", ...serviceNames]);
  const status = async (): Promise<ServingStatus> =>
    (await health.readiness()).status === "not_ready" ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
  return grpcService(Health, {
    check: async ({ service }) => {
      if (!names.has(service)) throw new ConnectError(`no service "${service}"`, Code.NotFound);
      return { status: await status() };
    },
    list: async () => {
      const current = await status();
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status: current }])) };
    },
    watch: async function* ({ service }, { signal }) {
      let last: ServingStatus | undefined;
      while (!signal.aborted) {
        const current = names.has(service) ? await status() : ServingStatus.SERVICE_UNKNOWN;
        if (current !== last) yield { status: current };
        last = current;
        // Rejects when the watcher disconnects, and the loop ends.
        await clock.sleep(watchIntervalMs, signal).catch(() => {});
      }
    },
  });
}
