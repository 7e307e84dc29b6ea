import { after, before, describe, test } from "node:test";
import { scaled } from "@appserver/testing/kit";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "./container-platform.ts";
import { Releases } from "./releases.ts";
import { failUnderLoad, switchUnderLoad } from "./rows.ts";
import { drainUnderLoad } from "./streams.ts";
import { SwitchedApp } from "./switched-app.ts";

const rounds = scaled(20);
/** The default in the long run. */
const drainTimeoutMs = scaled(30_000);

const started = await startContainerServices();

describe("switches of apps in containers, with one server and one orchestrator", {
  skip: "unavailable" in started ? started.unavailable : false,
}, () => {
  let platform: ContainerPlatform;
  let releases: Releases;
  before(async () => {
    platform = await ContainerPlatform.start(started as ContainerServices, { servers: 1, orchestrators: 1, drainTimeoutMs });
    releases = await Releases.create();
  });
  after(async () => {
    await platform?.stop();
    await releases?.remove();
  });

  test(`${rounds} upgrades and ${rounds} rollbacks under load fail no request, and the pages of both versions stay`, (t) =>
    switchUnderLoad(t, { platform, releases }, rounds));

  describe("an app with streams", () => {
    let app: SwitchedApp;
    before(async () => {
      app = await SwitchedApp.install(platform, await releases.streaming("1.0.0"), "/instance");
    });

    test("a release that is not healthy, that crashes, or that has no image is given up, and no request fails", (t) =>
      failUnderLoad(t, { platform, releases }, app));

    test("streams stay on the previous release until the drain timeout, and then the app closes them", (t) =>
      drainUnderLoad(t, { platform, releases }, app, drainTimeoutMs));
  });
});
