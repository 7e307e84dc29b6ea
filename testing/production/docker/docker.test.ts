import { foreignSecrets, RunningPlatform } from "@appserver/testing/kit";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { Code } from "@connectrpc/connect";
import { dockerSuite } from "../../contract/docker-suite.ts";

dockerSuite("npm start with apps in containers", await dockerEngineForTests(), {
  start: (socketPath) =>
    RunningPlatform.start({
      flags: ["--containers", "docker"],
      environment: { APPSERVER_DOCKER_SOCKET_PATH: socketPath, ...foreignSecrets },
    }),
  // In development the marketplace is not served there.
  unsigned: Code.Unimplemented,
  interrupt: (platform) => (platform as RunningPlatform).interrupt(),
});
