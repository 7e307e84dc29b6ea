import { after, before, describe, test } from "node:test";
import { scaled } from "@appserver/testing/kit";
import { Releases } from "./releases.ts";
import { drainUnderLoad } from "./streams.ts";
import { type SwitchPlatform, switchOptions } from "./switch-platform.ts";
import { type StreamFixture, switchUnderLoad } from "./switch-under-load.ts";
import { SwitchedApp } from "./switched-app.ts";

const rounds = scaled(20);
/** The default in the long run. */
const drainTimeoutMs = scaled(30_000);

export interface SwitchSuite {
  /** What runs the apps. */
  readonly name: string;
  /** Why it cannot run here. */
  readonly skip: string | false;
  /** Starts it with these variables of the processes that run apps. */
  readonly start: (options: Readonly<Record<string, string>>) => Promise<SwitchPlatform>;
}

/** Declares the tests of a platform. `declareMore` declares those that only this platform has; they run last. */
export function switchSuite(
  { name, skip, start }: SwitchSuite,
  declareMore: (fixture: () => StreamFixture) => void = () => {},
): void {
  describe(name, { skip }, () => {
    let platform: SwitchPlatform;
    let releases: Releases;
    let app: SwitchedApp;
    before(async () => {
      platform = await start(switchOptions(drainTimeoutMs));
      releases = await Releases.create();
      app = await SwitchedApp.install(platform, await releases.streaming("1.0.0"), "/instance");
    });
    after(async () => {
      await platform?.stop();
      await releases?.remove();
    });

    test(`${rounds} upgrades and ${rounds} rollbacks under load fail no request, and the pages of both versions stay`, (t) =>
      switchUnderLoad(t, { platform, releases }, rounds));

    test("streams stay on the previous release until the drain timeout, and then the app closes them", (t) =>
      drainUnderLoad(t, { platform, releases, app }, drainTimeoutMs));

    declareMore(() => ({ platform, releases, app }));
  });
}
