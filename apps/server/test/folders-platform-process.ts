// Runs the platform of `appserver dev` without the sample apps. The process driver takes each image from a folder:
// `APPSERVER_TEST_IMAGES/{app name}/{stage}`. For tests that replace the code of an app while the platform runs.
import { join } from "node:path";
import { type ProcessImages, processImage } from "../src/compose/containers.ts";
import { readDevConfig } from "../src/config/dev-config.ts";
import { devRegistry } from "../src/dev/example-apps.ts";
import { runDev } from "../src/dev/run-dev.ts";
import { untilStopped } from "../src/until-stopped.ts";

const folder = process.env["APPSERVER_TEST_IMAGES"] ?? "";
if (folder === "") throw new Error("APPSERVER_TEST_IMAGES is not set");

const images: ProcessImages = (image, config) => {
  const [name = "", stage = ""] = image.slice(`${devRegistry}/`.length).split(":");
  return processImage({ name, folder: join(folder, name, stage) }, config);
};

const config = readDevConfig({ examples: false }, process.env);
await untilStopped((signal) => runDev(config, (line) => console.log(line), signal, images));
