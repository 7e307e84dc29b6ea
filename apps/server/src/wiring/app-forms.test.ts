import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { LiveApp } from "@appserver/marketplace";
import { create } from "@bufbuild/protobuf";
import { toActivityApp, toHookApp } from "./app-forms.ts";

test("hooks of a disabled app have no backend, so that they wait, and its activities pause", () => {
  const formsOf = (enabled: boolean) => {
    const app = { name: "com.example.notes", version: "1.0.0", generation: 1, enabled, endpoint: "http://127.0.0.1:3000" };
    const manifest = create(AppManifestSchema, { hooks: [{ hookName: "com.example.clock.ticked", path: "/tick" }] });
    const api = { upstreamBaseUrl: "http://app-com.example.notes:3000/base" };
    const live = { app, manifest, api, placement: { api: "container", needsContainer: true } } as unknown as LiveApp;
    return [toHookApp(live), toActivityApp(live)] as const;
  };
  const [hooks, activity] = formsOf(true);
  assert.deepEqual([hooks.backend?.url, activity.isDisabled], ["http://127.0.0.1:3000/base", false]);
  const [disabledHooks, disabledActivity] = formsOf(false);
  assert.deepEqual([disabledHooks.backend, disabledActivity.isDisabled], [undefined, true]);
  assert.deepEqual(disabledHooks.hooks, hooks.hooks, "its subscriptions stay");
});
