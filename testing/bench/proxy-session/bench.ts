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
    const nginx = await started(startNginx({ upstreamPort, decisionPort: decisions.port }));
    const withoutPlainPath = await platform(1, { APPSERVER_PLAIN_PATH: "false" });
    const peers = {
      floor: await started(startForked("floor-process.ts", upstreamPort)),
      [nginxAlone]: nginx,
      fastify: await started(startFastify({ upstreamPort, cookie, logFile: join(folder, "fastify.log") })),
    };
    const peersAndNginx = [
      { ...localGateway(nginxWithDecisions, nginx, "/read"), helpers: [decisions.pid] },
      ...Object.entries(peers).map(([name, served]) => localGateway(name, served, "/read")),
    ].map((gateway) => ({ ...gateway, requests: requestsWith({ cookie }) }));
    const own = [app.gateway("platform", "/read"), withoutPlainPath.gateway("platform, server.plain_path off", "/read")];
    const gateways = [...own, ...peersAndNginx];
    const { figures } = await compare(gateways, { [nginxWithDecisions]: 0.7 }, options);
    return { figures, notes: [...gatewayNotes(), ...platformNotes, ...notes] };
  });
}

const nginxWithDecisions = "nginx auth_request";
const nginxAlone = "nginx auth_request, its decisions free of charge";

const notes = [
  "The platform: session cached for 1 s (`auth.session_cache_ttl`), permission for 1 s.",
  "nginx auth_request: version 1.22 with one worker, limit_req by user; each request asks a process of `node:http` that knows its one session by heart. A gateway of nginx needs such a process, so that its CPU counts, except where the name says otherwise.",
  "fastify: session and permission from a map in its process, @fastify/rate-limit in its memory, @fastify/http-proxy, its log to a file.",
];
