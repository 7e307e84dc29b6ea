// @fastify/static with files that were compressed before, and a request log.
import files from "@fastify/static";
import Fastify from "fastify";

const { PEER_FOLDER = "", PEER_LOG = "" } = process.env;

const app = Fastify({ logger: { level: "info", file: PEER_LOG } });
await app.register(files, { root: PEER_FOLDER, preCompressed: true, immutable: true, maxAge: "1y" });
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.(app.server.address().port);
process.on("disconnect", () => process.exit());
