import { after, before, describe, test } from "node:test";
import { scaled } from "@appserver/testing/kit";
import { ProcessPlatform } from "./process-platform.ts";
import { Releases } from "./releases.ts";
import { failUnderLoad, switchUnderLoad } from "./rows.ts";
import { drainUnderLoad } from "./streams.ts";
import { SwitchedApp } from "./switched-app.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const rounds = scaled(20);
/** The default in the long run. */
const drainTimeoutMs = scaled(30_000);

describe("switches of apps that run as processes", { skip }, () => {
  let platform: ProcessPlatform;
  let releases: Releases;
  before(async () => {
    platform = await ProcessPlatform.start({ drainTimeoutMs });
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

    test("a release that is not healthy, that crashes, or that has no folder is given up, and no request fails", (t) =>
      failUnderLoad(t, { platform, releases }, app));

    test("streams stay on the previous release until the drain timeout, and then the app closes them", (t) =>
      drainUnderLoad(t, { platform, releases }, app, drainTimeoutMs));
  });
});
