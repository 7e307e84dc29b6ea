import { after, before, describe, test } from "node:test";
import { scaled } from "@appserver/testing/kit";
import { Releases } from "./releases.ts";
import { failUnderLoad, type Scene, switchUnderLoad } from "./rows.ts";
import { drainUnderLoad } from "./streams.ts";
import { type SwitchPlatform, switchOptions } from "./switch-platform.ts";
import { SwitchedApp } from "./switched-app.ts";

const rounds = scaled(20);
/** The default in the long run. */
const drainTimeoutMs = scaled(30_000);

export interface SwitchSuite<Platform extends SwitchPlatform> {
  /** What runs the apps. */
  readonly name: string;
  /** Why it cannot run here. */
  readonly skip: string | false;
  /** Starts it with these variables of the processes that run apps. */
  readonly start: (options: Readonly<Record<string, string>>) => Promise<Platform>;
}

/** What a row gets: the platform and releases, and an app with streams that it may upgrade. */
export interface StreamScene<Platform extends SwitchPlatform> extends Scene {
  readonly platform: Platform;
  readonly app: SwitchedApp;
}

/** Declares the rows of a platform. `declareMore` declares those that only this platform has; they run last. */
export function switchSuite<Platform extends SwitchPlatform>(
  { name, skip, start }: SwitchSuite<Platform>,
  declareMore: (scene: () => StreamScene<Platform>) => void = () => {},
): void {
  describe(name, { skip }, () => {
    let platform: Platform;
    let releases: Releases;
    before(async () => {
      platform = await start(switchOptions(drainTimeoutMs));
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

      declareMore(() => ({ platform, releases, app }));
    });
  });
}
