// `node bin/run.mjs tools/services/down.ts`: stops what `up.ts` or a killed test left running.
import { downDockerEngine } from "./docker-engine.ts";
import { downRabbitMq } from "./rabbitmq.ts";
import { downRegistry } from "./registry.ts";

for (const [name, down] of Object.entries({ docker: downDockerEngine, rabbitmq: downRabbitMq, registry: downRegistry })) {
  process.stdout.write(`${name}: ${(await down()) ? "stopped" : "was not running"}\n`);
}
