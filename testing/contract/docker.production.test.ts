import { isOneProcess, productionPlatform } from "@appserver/testing/kit";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { Code } from "@connectrpc/connect";
import { dockerSuite } from "./docker-suite.ts";

dockerSuite("apps in containers", await dockerEngineForTests(), {
  start: () => productionPlatform(),
  // The address for containers of one process serves apps only.
  unsigned: isOneProcess ? Code.Unimplemented : Code.Unauthenticated,
});
