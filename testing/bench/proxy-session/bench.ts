import { join } from "node:path";
import type { Bench, BenchOptions, Measurement } from "../bench.ts";
import { compare, gatewayNotes, localGateway, platformNotes, requestsWith } from "../gateways/compare.ts";
import { startFastify } from "../gateways/fastify.ts";
import { startForked } from "../gateways/forked.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { startNginx } from "../gateways/nginx.ts";

/** Compares the whole job with gateways that do it, and with one that only forwards. */
export const bench: Bench = {
  name: "proxy-session",
  work: "A route that needs a session, a permission and a limit, with a circuit breaker, metrics and a request log.",
  measure,
};

function measure(options: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform, upstreamPort, folder, started }) => {
    const app = await platform();
    const { cookie } = app;
    const decisions = await started(startForked("decision-process.ts", cookie));
    const peers = {
      floor: await started(startForked("floor-process.ts", upstreamPort)),
      "nginx auth_request": await started(startNginx({ upstreamPort, decisionPort: decisions.port })),
      fastify: await started(startFastify({ upstreamPort, cookie, logFile: join(folder, "fastify.log") })),
    };
    const gateways = [
      app.gateway("platform", "/read"),
      ...Object.entries(peers).map(([name, served]) => ({
        ...localGateway(name, served, "/read"),
        requests: requestsWith({ cookie }),
      })),
    ];
    const { figures } = await compare(gateways, { floor: 1.25 }, options);
    return { figures, notes: [...gatewayNotes(), ...platformNotes, ...notes] };
  });
}

const notes = [
  "The platform: session cached for 1 s (`auth.session_cache_ttl`), permission for 1 s.",
  "nginx auth_request: version 1.22 with one worker, limit_req by user; each request asks a process that knows its one session by heart, whose CPU is not counted. The goal for the ratio to it is 0.6.",
  "fastify: session and permission from a map in its process, @fastify/rate-limit in its memory, @fastify/http-proxy, its log to a file.",
];
