import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { compare, gatewayNotes } from "../gateways/compare.ts";
import { type Served, startForked } from "../gateways/forked.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { startNginx } from "../gateways/nginx.ts";

/** Compares a public route with gateways that only forward. */
export const bench: Bench = {
  name: "proxy-public",
  work: "A public route with a limit and a circuit breaker.",
  measure,
};

function measure(options: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ publicUrl, pid, upstreamPort, started }) => {
    const floor = await started(startForked("floor-process.ts", upstreamPort));
    const nginx = await started(startNginx({ upstreamPort }));
    const peer = (name: string, served: Served) => ({ name, pid: served.pid, url: `http://127.0.0.1:${served.port}/public` });
    const gateways = [{ name: "platform", pid, url: publicUrl }, peer("floor", floor), peer("nginx", nginx)];
    const { figures } = await compare(gateways, { floor: 1.15 }, options);
    return { figures, notes: [...gatewayNotes, "The platform: its request log goes to a file; limits in Redis."] };
  });
}
