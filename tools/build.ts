// `npm run build`: builds the web applications of the platform. Those of the sample apps are built when they are installed.
import { resolve } from "node:path";
import { buildFrontend } from "@appserver/frontends";

const applications = ["apps/console", "apps/playground"];

for (const application of applications) {
  const startedAt = performance.now();
  await buildFrontend(resolve(import.meta.dirname, "..", application));
  process.stdout.write(`${application}: built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}
