// A gateway as teams assemble it from Fastify's plugins: session and permission from a map in its process, a limit for each user,
// a request log, and @fastify/http-proxy.
import proxy from "@fastify/http-proxy";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";

const { PEER_UPSTREAM = "", PEER_COOKIE = "", PEER_LOG = "" } = process.env;
const sessions = new Map([[PEER_COOKIE, "someone"]]);
const permissions = new Set(["someone things:read"]);

const app = Fastify({ logger: { level: "info", file: PEER_LOG } });
app.addHook("onRequest", async (request, reply) => {
  const user = sessions.get(request.headers.cookie ?? "");
  if (user === undefined || !permissions.has(`${user} things:read`)) return reply.code(401).send({ error: "refused" });
  request.user = user;
});
await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: "1 minute",
  keyGenerator: ({ user }) => user ?? "",
  hook: "preHandler",
});
await app.register(proxy, { upstream: PEER_UPSTREAM, undici: { connections: 50 } });
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.(app.server.address().port);
process.on("disconnect", () => process.exit());
