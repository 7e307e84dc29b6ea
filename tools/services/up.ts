// `node bin/run.mjs tools/services/up.ts [docker] [kratos] …`: starts the services that tests need, or the named ones, and
// leaves them running.
import { ensureDockerEngine } from "./docker-engine.ts";
import { ensureKratos } from "./kratos.ts";
import { ensureKubernetes } from "./kubernetes.ts";
import { ensureOpenFga } from "./openfga.ts";
import { ensurePostgres } from "./postgres.ts";
import { ensureRabbitMq } from "./rabbitmq.ts";
import { ensureRedis } from "./redis.ts";
import { ensureRegistry } from "./registry.ts";

const starters: Readonly<Record<string, () => Promise<string>>> = {
  docker: async () => {
    const engine = await ensureDockerEngine({ keep: true });
    return "unavailable" in engine ? engine.unavailable : `DOCKER_HOST=unix://${engine.socketPath}`;
  },
  kratos: async () => {
    const kratos = await ensureKratos({ keep: true });
    if ("unavailable" in kratos) return kratos.unavailable;
    return `APPSERVER_KRATOS_PUBLIC_URL=${kratos.publicUrl} APPSERVER_KRATOS_ADMIN_URL=${kratos.adminUrl}`;
  },
  kubernetes: async () => {
    const cluster = await ensureKubernetes({ keep: true });
    return "unavailable" in cluster ? cluster.unavailable : `KUBECONFIG=${cluster.kubeconfig}, registry ${cluster.registry}`;
  },
  openfga: async () => {
    const openfga = await ensureOpenFga({ keep: true });
    if ("unavailable" in openfga) return openfga.unavailable;
    return `APPSERVER_OPENFGA_API_URL=${openfga.url} APPSERVER_OPENFGA_API_TOKEN=${openfga.token}`;
  },
  postgres: async () => {
    const server = await ensurePostgres({ keep: true });
    if ("unavailable" in server) return server.unavailable;
    const { host, port, user, password, database } = server;
    return `postgres://${user}:${password}@${host}:${port}/${database}`;
  },
  rabbitmq: async () => {
    const rabbitmq = await ensureRabbitMq({ keep: true });
    return "unavailable" in rabbitmq ? rabbitmq.unavailable : `APPSERVER_RABBITMQ_URL=${rabbitmq.url}`;
  },
  redis: async () => {
    const redis = await ensureRedis({ keep: true });
    return "unavailable" in redis ? redis.unavailable : `APPSERVER_REDIS_URL=${redis.url}`;
  },
  registry: async () => {
    const registry = await ensureRegistry({ keep: true });
    return "unavailable" in registry ? registry.unavailable : registry.host;
  },
};

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : Object.keys(starters)) {
  const starter = starters[name];
  if (!starter) throw new Error(`no service ${name}; there are: ${Object.keys(starters).join(", ")}`);
  process.stdout.write(`${name}: ${await starter()}\n`);
}
