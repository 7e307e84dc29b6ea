import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { create } from "@bufbuild/protobuf";
import { placementOf } from "./placement.ts";

const placed = (upstreamBaseUrl: string | undefined, ssr: boolean) =>
  placementOf(
    create(AppManifestSchema, {
      name: "com.example.notes",
      webApp: { ui: { ssr }, ...(upstreamBaseUrl === undefined ? {} : { api: { upstreamBaseUrl } }) },
    }),
  );
const own = "http://app-com.example.notes:3000";
const elsewhere = "https://notes.example.com";

test("the container that renders pages does not determine where the API runs", () => {
  assert.deepEqual(placed(undefined, false), { needsContainer: false, api: "none", rendersPages: false });
  assert.deepEqual(placed(undefined, true), { needsContainer: true, api: "none", rendersPages: true });
  assert.deepEqual(placed(own, false), { needsContainer: true, api: "container", rendersPages: false });
  assert.deepEqual(placed(own, true), { needsContainer: true, api: "container", rendersPages: true });
  assert.deepEqual(placed(elsewhere, false), { needsContainer: false, api: "external", rendersPages: false });
  assert.deepEqual(placed(elsewhere, true), { needsContainer: true, api: "external", rendersPages: false });
});
