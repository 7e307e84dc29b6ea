import { embeddedConnection, foreignSecrets, RunningPlatform } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";
import { type IsolatedPlatform, isolationSuite } from "./isolation/isolation-suite.ts";

const found = await dockerEngineForTests();
const skip = found instanceof TestDockerEngine ? undefined : found.unavailable;

async function start(): Promise<IsolatedPlatform> {
  if (!(found instanceof TestDockerEngine)) throw new Error(skip);
  const platform = await RunningPlatform.start({
    flags: ["--containers", "docker"],
    environment: {
      ...foreignSecrets,
      APPSERVER_DOCKER_SOCKET_PATH: found.socketPath,
      APPSERVER_CONTAINERS_NETWORK_POOL: "10.216.0.0/16",
    },
  });
  const { password } = await embeddedConnection(platform.dataDir);
  const instance = (await found.inspect("app-com.example.notes"))?.Config.Labels["appserver.instance"] ?? "";
  return {
    platform,
    engine: found,
    registry: "appserver.local",
    publish: async () => {},
    servers: {},
    secrets: [password],
    stop: async () => {
      await platform.stop();
      await found.tidyUp(instance, `appserver-${instance}`);
      await found.stop();
    },
  };
}

isolationSuite("the development platform", start, { skip, hasAllServers: false });
