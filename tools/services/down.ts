// `node bin/run.mjs tools/services/down.ts`: stops what `up.ts` or a killed test left running.
import { downDockerEngine } from "./docker-engine.ts";
import { downPostgres } from "./postgres.ts";
import { downRabbitMq } from "./rabbitmq.ts";
import { downRedis } from "./redis.ts";
import { downRegistry } from "./registry.ts";

const downs = {
  docker: downDockerEngine,
  postgres: downPostgres,
  rabbitmq: downRabbitMq,
  redis: downRedis,
  registry: downRegistry,
};
for (const [name, down] of Object.entries(downs)) {
  process.stdout.write(`${name}: ${(await down()) ? "stopped" : "was not running"}\n`);
}
