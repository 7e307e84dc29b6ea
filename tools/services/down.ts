// `node bin/run.mjs tools/services/down.ts [kratos] …`: stops services that `up.ts` or a killed test left running, even if they
// are in use. Without arguments it stops all of them.
import { join } from "node:path";
import { downDockerEngine } from "./docker-engine.ts";
import { downKratos } from "./kratos.ts";
import { downKubernetes } from "./kubernetes.ts";
import { downOpenFga } from "./openfga.ts";
import { downPostgres } from "./postgres.ts";
import { downRabbitMq } from "./rabbitmq.ts";
import { downRedis } from "./redis.ts";
import { downRegistry } from "./registry.ts";
import { servicesFolder } from "./shared-service.ts";

const downs = {
  docker: downDockerEngine,
  kratos: downKratos,
  kubernetes: downKubernetes,
  openfga: downOpenFga,
  postgres: downPostgres,
  "postgres-apps": () => downPostgres(join(servicesFolder, "postgres-apps")),
  rabbitmq: downRabbitMq,
  redis: downRedis,
  registry: downRegistry,
};
const names = process.argv.slice(2);
for (const [name, down] of Object.entries(downs)) {
  if (names.length > 0 && !names.includes(name)) continue;
  process.stdout.write(`${name}: ${(await down()) ? "stopped" : "was not running"}\n`);
}
