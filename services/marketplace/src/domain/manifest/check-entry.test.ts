import assert from "node:assert/strict";
import { test } from "node:test";
import { AssetSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { create } from "@bufbuild/protobuf";
import { changed, put, rules, webApp } from "../../../test/changed-manifest.ts";
import { asset } from "../../../test/complete-manifest.ts";
import { checkManifest } from "./check-manifest.ts";

interface File {
  readonly name: string;
  readonly text: string;
  readonly type?: string;
}

/** Returns the warnings of a manifest whose entry is the first file. */
function warningsOf(mode: UIMode, files: readonly File[], ssr = false): readonly string[] {
  const manifest = changed((valid) => {
    put(valid, "web_app.ui.mode", mode);
    if (mode === UIMode.UI_MODE_WEB_COMPONENT) put(valid, "web_app.ui.exposed_module", undefined);
    put(valid, "web_app.ui.ssr", ssr);
    put(valid, "web_app.ui.entry_asset_name", files[0]?.name);
    for (const { name, text, type = "text/javascript" } of files)
      webApp(valid).assets.push(create(AssetSchema, { ...asset(name, text), mimeType: type }));
  });
  const { violations, warnings } = checkManifest(manifest, rules);
  assert.deepEqual(violations, []);
  return warnings.map(({ field, message }) => `${field} ${message}`);
}

const { UI_MODE_FEDERATION: federation, UI_MODE_ESM_COMPONENT: esm, UI_MODE_WEB_COMPONENT: element } = UIMode;
const script = (text: string): readonly File[] => [{ name: "page.js", text }];

test("a script without exports is warned of, with what to write", () => {
  const [remote = "", ...more] = warningsOf(federation, script("var wp;(()=>{var e={};wp=e})();"));
  assert.match(remote, /^web_app\.ui\.entry_asset_name "page\.js" is not an ES module.* library: \{ type: "module" \}/);
  assert.deepEqual(more, []);
  assert.match(warningsOf(esm, script("console.log(1)"))[0] ?? "", /exports nothing, and its mode needs a function "mount"/);
  assert.deepEqual(warningsOf(element, script("customElements.define('a-b', A)")), []);
});

test("a script with an export is not", () => {
  const texts = ["export default 1", "export{x as mount}", "const a=1;export*from'./b.js'", "export async function mount(){}"];
  for (const text of [...texts, "export let mount=1", "export class A{}"])
    for (const mode of [federation, esm]) assert.deepEqual(warningsOf(mode, script(text)), [], text);
});

test("a Module Federation manifest must name a script of the app that is an ES module", () => {
  const manifest = (remoteEntry: object): File => ({
    name: "mf/mf-manifest.json",
    text: JSON.stringify({ metaData: { remoteEntry } }),
    type: "application/json",
  });
  const remote = { name: "mf/js/remote.js", text: "export{a as get,b as init};" };
  const of = (entry: object): readonly string[] => warningsOf(federation, [manifest(entry), remote]);
  assert.deepEqual(of({ name: "remote.js", path: "js", type: "module" }), []);
  assert.match(of({ name: "remote.js", path: "js", type: "global" })[0] ?? "", /library: \{ type: "module" \}/);
  for (const entry of [{ name: "remote.js", path: "", type: "module" }, { path: "js" }, {}])
    assert.match(of(entry)[0] ?? "", /must name a script of the app in metaData\.remoteEntry/);
  assert.match(
    warningsOf(federation, [{ name: "mf.json", text: "no JSON", type: "application/json" }])[0] ?? "",
    /must name a script of the app in metaData\.remoteEntry/,
  );
});

test("HTML is shown only if the app renders its pages", () => {
  const html = [{ name: "index.html", text: "<p>", type: "text/html" }];
  for (const mode of [esm, element]) {
    assert.match(warningsOf(mode, html)[0] ?? "", /"index\.html" is HTML, which the console shows for no app/);
    assert.deepEqual(warningsOf(mode, html, true), []);
  }
});
