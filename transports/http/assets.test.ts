import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { send, started } from "../test/http-listener-fixture.ts";
import { routeFile, script, sha256, uiWithScript } from "../test/script-asset.ts";
import type { HttpListener } from "./index.ts";

describe("assets over HTTP", () => {
  let listener: HttpListener;
  before(async () => {
    listener = await started({ ui: uiWithScript().http });
  });
  after(() => listener.stop());

  test("assets are served by name and by id, with all their headers, also for HEAD", async () => {
    const headers = { "accept-encoding": "br", origin: "https://console.example.com" };
    const asset = await send(listener, `/apps/com.example.notes/assets/js/main.js?v=${sha256.slice(0, 16)}`, { headers });
    assert.equal(asset.status, 200);
    assert.equal(asset.headers["content-encoding"], "br");
    assert.equal(asset.headers["content-type"], "text/javascript");
    assert.equal(asset.headers["x-subresource-integrity"], `sha256-${Buffer.from(sha256, "hex").toString("base64")}`);
    assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(asset.headers.vary, "Accept-Encoding, Origin");
    assert.equal(asset.headers["access-control-allow-origin"], "https://console.example.com");
    const byId = await send(listener, "/assets/0199/js%2Fmain.js");
    assert.equal(byId.text, script.toString());
    const head = await send(listener, "/assets/0199/js/main.js", { method: "HEAD" });
    assert.deepEqual([head.text, head.headers["content-length"]], ["", String(script.length)]);
    const unchanged = await send(listener, "/assets/0199/js/main.js", {
      headers: { "if-none-match": head.headers.etag ?? "" },
    });
    assert.deepEqual([unchanged.status, unchanged.text], [304, ""]);
    const missing = await send(listener, "/apps/com.example.notes/assets/none.js");
    assert.deepEqual([missing.status, missing.headers["cache-control"]], [404, "no-store"]);
  });

  test("a name with brackets, spaces and dollar signs is served in every form in which browsers send it", async () => {
    const paths = ["js/%5Bslug%5D%20(1)/%24id.js", "js/[slug]%20(1)/$id.js", "js%2F%5Bslug%5D%20%281%29%2F$id.js"];
    for (const path of [...paths.map((each) => `/apps/com.example.notes/assets/${each}`), `/assets/0199/${paths[1]}`]) {
      const { status, text } = await send(listener, path);
      assert.deepEqual([status, text], [200, script.toString()], path);
    }
    assert.equal(decodeURIComponent(paths[0] ?? ""), routeFile);
  });

  test("a plain path of an asset, which passes Fastify by, gets the same response as an escaped one", async () => {
    const requests: readonly { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }[] = [
      {},
      { method: "HEAD" },
      { method: "DELETE" },
      { headers: { origin: "https://console.example.com" } },
      { headers: { origin: "https://evil.example", "accept-encoding": "gzip" } },
      { headers: { range: "bytes=1-3" } },
      { headers: { range: "bytes=99999-" } },
      { headers: { "if-none-match": "*" } },
      { headers: { host: "evil.example" } },
      { headers: { "x-request-id": "r1" } },
    ];
    for (const name of ["js/main", "none"])
      for (const { method = "GET", headers = {} } of requests) {
        const ask = async (file: string) => {
          const options = { method, headers: { "x-request-id": "r0", ...headers } };
          const { status, text, headers: received } = await send(listener, `/apps/com.example.notes/assets/${file}`, options);
          const { date: _, ...others } = received;
          return { status, text, headers: others };
        };
        assert.deepEqual(await ask(`${name}.js`), await ask(`${name}%2Ejs`), `${method} ${name} ${JSON.stringify(headers)}`);
      }
  });
});
