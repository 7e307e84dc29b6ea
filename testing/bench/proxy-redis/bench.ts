import { Pool } from "undici";
import type { Bench, BenchOptions, Figure, Measurement } from "../bench.ts";
import { compare, gatewayNotes } from "../gateways/compare.ts";
import { withGatewayFixture } from "../gateways/gateway-fixture.ts";
import { type ProxiedApp, strictLimit } from "../gateways/proxied-app.ts";

/** Sent at once over all replicas. */
const burst = 3 * strictLimit;

/** Compares limits that two replicas share in Redis with those in the memory of one server. */
export const bench: Bench = {
  name: "proxy-redis",
  work: "A route that needs a session, a permission and a limit that two replicas count exactly in Redis.",
  measure,
};

function measure(options: BenchOptions): Promise<Measurement> {
  return withGatewayFixture(async ({ platform }) => {
    const [shared, alone] = [await platform(2), await platform()];
    const gateways = [shared.gateway("two replicas", "/read"), alone.gateway("proxy-session", "/read")];
    const { figures } = await compare(gateways, { "proxy-session": 1.6 }, options);
    const errors: number[] = [];
    for (let round = 0; round < options.rounds; round += 1) errors.push(Math.abs((await allowed(shared)) - strictLimit));
    const error: Figure = { name: "error of the limit", unit: "requests", samples: errors, target: { atMost: 0 } };
    return { figures: [...figures, error], notes: [...gatewayNotes().filter((note) => !note.startsWith("floor")), ...notes] };
  });
}

/** Returns how many requests of a burst of a new user the replicas allow. */
async function allowed({ origins, path, anotherCookie }: ProxiedApp): Promise<number> {
  const cookie = await anotherCookie();
  const pools = origins.map((origin) => new Pool(origin, { connections: 25 }));
  const statuses = await Promise.all(
    Array.from({ length: burst / pools.length }, () => pools)
      .flat()
      .map(async (pool) => {
        const { statusCode, body } = await pool.request({ method: "GET", path: path("/limited"), headers: { cookie } });
        await body.dump();
        return statusCode;
      }),
  );
  await Promise.all(pools.map((pool) => pool.close()));
  const unexpected = statuses.find((status) => status !== 200 && status !== 429);
  if (unexpected !== undefined) throw new Error(`a request of the burst returned ${unexpected}`);
  return statuses.filter((status) => status === 200).length;
}

const notes = [
  "two replicas: requests go to both in turn, both on the same core; CPU is that of both without Redis, and their request log goes to a file.",
  "proxy-session: one server with the same route and limits in its memory.",
  `error of the limit: each round ${burst} requests of a new user come at once over both replicas to a route with a limit of ${strictLimit}; how far the number of allowed requests is from the limit.`,
];
