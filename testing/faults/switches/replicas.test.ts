import { test } from "node:test";
import { awaitFrozenServer } from "./acknowledgements.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "./container-platform.ts";
import { switchSuite } from "./switch-suite.ts";

const services = await startContainerServices();
let platform: ContainerPlatform;

switchSuite(
  {
    name: "switches of apps in containers, with two servers and two orchestrators",
    skip: "unavailable" in services ? services.unavailable : false,
    start: async (ofOrchestrators) => {
      const options = { servers: 2, orchestrators: 2, ofOrchestrators };
      platform = await ContainerPlatform.start(services as ContainerServices, options);
      return platform;
    },
  },
  (scene) => {
    test("the old container runs until every server has reported the switch, also one that was frozen", (t) =>
      awaitFrozenServer(t, platform, scene()));
  },
);
