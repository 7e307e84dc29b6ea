import { after, before, describe, test } from "node:test";
import { scaled } from "@appserver/testing/kit";
import { awaitFrozenServer, giveUpFrozenServer } from "./acknowledgements.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "./container-platform.ts";
import { Releases } from "./releases.ts";
import { failUnderLoad, switchUnderLoad } from "./rows.ts";
import { drainUnderLoad } from "./streams.ts";
import { SwitchedApp } from "./switched-app.ts";

const rounds = scaled(20);
/** The default in the long run. */
const drainTimeoutMs = scaled(30_000);
const isLongRun = scaled(100) === 100;

const started = await startContainerServices();

describe("switches of apps in containers, with two servers and two orchestrators", {
  skip: "unavailable" in started ? started.unavailable : false,
}, () => {
  let platform: ContainerPlatform;
  let releases: Releases;
  before(async () => {
    platform = await ContainerPlatform.start(started as ContainerServices, { servers: 2, orchestrators: 2, drainTimeoutMs });
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

    test("the old container runs until every server has reported the switch, also one that was frozen", (t) =>
      awaitFrozenServer(t, { platform, releases }, app));

    // This wait has no option.
    if (isLongRun) {
      test("the old container is stopped after 60 s although a frozen server has not reported the switch", (t) =>
        giveUpFrozenServer(t, { platform, releases }, app));
    }
  });
});
