import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform, untilState } from "@appserver/testing/kit";
import { dockerEngineForTests, TestDockerEngine } from "@appserver/testing/kit/docker";

const found = await dockerEngineForTests();
const docker = found instanceof TestDockerEngine ? found : undefined;
const skip = found instanceof TestDockerEngine ? false : found.unavailable;

describe("apps in containers with shared isolation", { skip }, () => {
  let platform: RunningPlatform;
  let instance = "";

  const inspected = async (name: string) =>
    (await docker?.inspect(`app-com.example.${name}`)) ?? assert.fail(`there is no container of ${name}`);

  before(async () => {
    platform = await RunningPlatform.start({
      flags: ["--containers", "docker"],
      environment: {
        APPSERVER_DOCKER_SOCKET_PATH: docker?.socketPath ?? "",
        APPSERVER_CONTAINERS_ISOLATION: "shared",
      },
    });
    for (const name of ["notes", "clock"]) await untilState(platform, `com.example.${name}`, "RUNNING", 60_000);
    instance = (await inspected("notes")).Config.Labels["appserver.instance"] ?? "";
  });
  after(async () => {
    await platform?.stop();
    await docker?.tidyUp(instance, `appserver-${instance}`);
    await docker?.stop();
  });

  test("all apps are in the platform's network and know each other's backends", async () => {
    const [notes, clock] = [await inspected("notes"), await inspected("clock")];
    for (const { NetworkSettings } of [notes, clock])
      assert.deepEqual(Object.keys(NetworkSettings.Networks), [`appserver-${instance}`]);
    assert.ok(clock.Config.Env.includes("UPSTREAM_COM_EXAMPLE_NOTES=http://app-com.example.notes:3000"));
    assert.deepEqual(await docker?.networks(instance), []);
  });

  test("all apps have the platform's database", async () => {
    const [notes, clock] = [await inspected("notes"), await inspected("clock")];
    const passwordOf = ({ Config }: typeof notes) => Config.Env.find((line) => line.startsWith("DB_PASSWORD="));
    assert.ok(passwordOf(notes));
    assert.equal(passwordOf(notes), passwordOf(clock));
  });
});
