import { startProcessPlatform } from "./process-platform.ts";
import { switchSuite } from "./switch-suite.ts";

switchSuite({
  name: "switches of apps that run as processes",
  skip: process.platform === "linux" ? false : "needs /proc",
  start: startProcessPlatform,
});
