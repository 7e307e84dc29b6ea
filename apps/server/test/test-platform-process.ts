// `node test-platform-process.ts [dev] [--no-examples] [--with-python]`: runs the platform of `appserver dev`. The sample app in Python runs
// only with --with-python: otherwise its state would depend on the machine.
import { readDevConfig } from "../src/config/dev-config.ts";
import { obstacleOf } from "../src/dev/python.ts";
import { runDev } from "../src/dev/run-dev.ts";
import { untilStopped } from "../src/until-stopped.ts";

const config = readDevConfig({ examples: !process.argv.includes("--no-examples") }, process.env);
const obstacle: typeof obstacleOf = async (app) =>
  app.runtime !== "python" || process.argv.includes("--with-python") ? await obstacleOf(app) : "this run does without it";
await untilStopped((signal) => runDev(config, (line) => console.log(line), signal, { obstacle }));
