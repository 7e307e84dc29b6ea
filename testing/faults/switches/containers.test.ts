import { ContainerPlatform, type ContainerServices, startContainerServices } from "./container-platform.ts";
import { switchSuite } from "./switch-suite.ts";

const services = await startContainerServices();

switchSuite({
  name: "switches of apps in containers, with one server and one orchestrator",
  skip: "unavailable" in services ? services.unavailable : false,
  start: (ofOrchestrators) =>
    ContainerPlatform.start(services as ContainerServices, { servers: 1, orchestrators: 1, ofOrchestrators }),
});
