import assert from "node:assert/strict";
import { test } from "node:test";
import { remoteUrl } from "../web/features/hosting/remote-entry.ts";

const url = "/apps/com.example.wp/versions/0a/mf/mf-manifest.json";
const of = (remoteEntry: object): string | undefined => remoteUrl(url, { metaData: { remoteEntry } });

test("the remote of a Module Federation manifest is relative to the file", () => {
  assert.equal(of({ name: "remoteEntry.js", path: "" }), "/apps/com.example.wp/versions/0a/mf/remoteEntry.js");
  assert.equal(
    of({ name: "remoteEntry.js", path: "static/js/" }),
    "/apps/com.example.wp/versions/0a/mf/static/js/remoteEntry.js",
  );
  assert.equal(of({ name: "remote[1].js" }), "/apps/com.example.wp/versions/0a/mf/remote[1].js");
});

test("a file without one has no remote", () => {
  for (const manifest of [undefined, {}, { metaData: {} }, { metaData: { remoteEntry: { name: 1 } } }])
    assert.equal(remoteUrl(url, manifest as never), undefined);
});
