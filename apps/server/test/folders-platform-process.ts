// `node folders-platform-process.ts [dev] [--no-examples] [--with-python]`: runs the platform of `appserver dev`, whose process driver also takes
// images from folders: `APPSERVER_TEST_IMAGES/{app name}/{stage}`. For tests that bring apps of their own, or replace the code of an
// app while the platform runs. The sample app in Python runs only with --with-python: otherwise its state would depend on the machine.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { exampleImages, type ProcessImages, processImage } from "../src/compose/containers.ts";
import { readDevConfig } from "../src/config/dev-config.ts";
import { devRegistry } from "../src/dev/example-apps.ts";
import { obstacleOf } from "../src/dev/python.ts";
import { runDev } from "../src/dev/run-dev.ts";
import { untilStopped } from "../src/until-stopped.ts";

const folder = process.env["APPSERVER_TEST_IMAGES"] ?? "";
if (folder === "") throw new Error("APPSERVER_TEST_IMAGES is not set");

const images: ProcessImages = (image, config) => {
  const [name = "", stage = ""] = image.slice(`${devRegistry}/`.length).split(":");
  const code = join(folder, name, stage);
  return existsSync(code) ? processImage({ name, folder: code }, config) : exampleImages(image, config);
};

const config = readDevConfig({ examples: !process.argv.includes("--no-examples") }, process.env);
const obstacle: typeof obstacleOf = async (app) =>
  app.runtime !== "python" || process.argv.includes("--with-python") ? await obstacleOf(app) : "this run does without it";
await untilStopped((signal) => runDev(config, (line) => console.log(line), signal, { images, obstacle }));
