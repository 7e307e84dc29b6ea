import assert from "node:assert/strict";
import { test } from "node:test";
import { isAppError } from "@appserver/kernel";
import type { LiveApp, LiveApps, ReadAsset } from "@appserver/marketplace";
import { appAssets } from "./app-assets.ts";

const name = "com.example.notes";

function assetsOf(app: { readonly state: string; readonly enabled: boolean }) {
  const live = { app: { id: "1", name, version: "1.0.0", manifestDigest: "d", ...app } } as unknown as LiveApp;
  const apps = {
    currentById: async () => live,
    view: (rule: (app: LiveApp["app"]) => boolean) => ({ get: () => (rule(live.app) ? live : undefined), all: () => [] }),
  } as unknown as LiveApps;
  const readAsset = (async () => ({ name: "page.html" })) as unknown as ReadAsset;
  return appAssets(apps, readAsset);
}

for (const ref of [{ name }, { id: "1" }]) {
  const by = Object.keys(ref).join();

  test(`assets of an installed app are found by ${by}`, async () => {
    const asset = await assetsOf({ state: "RUNNING", enabled: true }).find(ref, "page.html");
    assert.equal(asset?.appName, name);
    assert.equal(await assetsOf({ state: "UNINSTALLED", enabled: true }).find(ref, "page.html"), undefined);
  });

  test(`assets of a disabled app are refused with the reason, by ${by}`, async () => {
    await assert.rejects(
      assetsOf({ state: "RUNNING", enabled: false }).find(ref, "page.html"),
      (error) => isAppError(error, "SERVICE_UNAVAILABLE") && error.details["reason"] === "disabled",
    );
    assert.equal(await assetsOf({ state: "UNINSTALLED", enabled: false }).find(ref, "page.html"), undefined);
  });
}
