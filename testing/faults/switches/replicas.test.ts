import { test } from "node:test";
import { awaitFrozenServer } from "./acknowledgements.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "./container-platform.ts";
import { switchSuite } from "./switch-suite.ts";

const services = await startContainerServices();

switchSuite(
  {
    name: "switches of apps in containers, with two servers and two orchestrators",
    skip: "unavailable" in services ? services.unavailable : false,
    start: (ofOrchestrators) =>
      ContainerPlatform.start(services as ContainerServices, { servers: 2, orchestrators: 2, ofOrchestrators }),
  },
  (scene) => {
    test("the old container runs until every server has reported the switch, also one that was frozen", (t) =>
      awaitFrozenServer(t, scene(), scene().app));
  },
);
