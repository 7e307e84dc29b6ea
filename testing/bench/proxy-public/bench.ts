import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { startCaddy } from "../gateways/caddy.ts";
import { compare, gatewayNotes, localGateway, platformNotes } from "../gateways/compare.ts";
import { startForked } from "../gateways/forked.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { startHaproxy } from "../gateways/haproxy.ts";
import { startNginx } from "../gateways/nginx.ts";

/** Compares a public route with gateways that only forward. */
export const bench: Bench = {
  name: "proxy-public",
  work: "A public route with a limit and a circuit breaker.",
  measure,
};

function measure(options: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform, upstreamPort, started }) => {
    const app = await platform();
    const peers = {
      floor: await started(startForked("floor-process.ts", upstreamPort)),
      nginx: await started(startNginx({ upstreamPort })),
      HAProxy: await started(startHaproxy(upstreamPort)),
      Caddy: await started(startCaddy(upstreamPort)),
    };
    const gateways = [
      app.gateway("platform", "/public"),
      ...Object.entries(peers).map(([name, served]) => localGateway(name, served, "/public")),
    ];
    const { figures } = await compare(gateways, { floor: 0.8 }, options);
    return { figures, notes: [...gatewayNotes(), ...platformNotes, peerNote] };
  });
}

const peerNote =
  "nginx 1.22 with one worker, HAProxy 2.6 with one thread, and Caddy 2.6: each only forwards, with its request log in a file.";
