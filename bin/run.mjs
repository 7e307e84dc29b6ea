#!/usr/bin/env node
// `node bin/run.mjs <script.ts> [args]`: runs one of the project's own scripts under a new enough Node.
import { launch } from "./launch.mjs";

const [script, ...args] = process.argv.slice(2);
if (!script) {
  process.stderr.write("usage: node bin/run.mjs <script> [arguments]\n");
  process.exit(2);
}
launch(script, args);
