import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { send, started } from "../../test/http-listener-fixture.ts";
import type { HttpListener } from "../index.ts";

const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

describe("the styles and the logo of the platform", () => {
  let listener: HttpListener;
  before(async () => {
    const logo = { type: "image/svg+xml", bytes: Buffer.from(script) } as const;
    listener = await started({ branding: { name: 'A "B"; } </style>\\', logo, accent: "#0b7285" } });
  });
  after(() => listener?.stop());

  test("the accent replaces the shades, and the name cannot end its text early", async () => {
    const { status, headers, text } = await send(listener, "/branding/tokens.css");
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/css; charset=utf-8");
    assert.match(text, /--look-accent-8: #0b7285;/);
    assert.match(text, /--look-name: "A \\22 B\\22 \\3b {2}\\7d {2}\\3c \\2f style\\3e \\5c ";/);
    const page = await send(listener, "/branding/page.css");
    assert.ok(page.text.startsWith(text.trimEnd().slice(0, 200)) && page.text.includes(".card {"));
  });

  test("the theme is the one that the person chose, or that of the system", async () => {
    const themeFor = async (cookie?: string) => {
      const { headers, text } = await send(listener, "/branding/tokens.css", { headers: cookie ? { cookie } : {} });
      assert.equal(headers["vary"], "Cookie");
      return text.match(/color-scheme: [^;]+/g)?.at(-1);
    };
    assert.equal(await themeFor(), "color-scheme: light dark");
    assert.equal(await themeFor("a=b; appserver-theme=dark; c=d"), "color-scheme: dark");
    assert.equal(await themeFor("appserver-theme=light"), "color-scheme: light");
    assert.equal(await themeFor("appserver-theme=dark}body{display:none"), "color-scheme: light dark");
    assert.equal(await themeFor("xappserver-theme=dark"), "color-scheme: light dark");
  });

  test("the styles for pages of apps have the branding and the theme, and change nothing outside of an app", async () => {
    const { status, headers, text } = await send(listener, "/sdk/app.css", { headers: { cookie: "appserver-theme=dark" } });
    assert.deepEqual([status, headers["content-type"]], [200, "text/css; charset=utf-8"]);
    assert.match(text, /--look-accent-8: #0b7285;/);
    assert.match(text, /:where\(html\) \{\s*color-scheme: dark;\s*\}\s*$/);
    const outside = outermostRules(text).filter(([selector]) => selector !== ":where(.app)");
    assert.deepEqual(outside, [
      [":where(html)", "color-scheme: light dark;"],
      [":where(html)", "color-scheme: dark;"],
    ]);
    assert.ok(gzipSync(text).length <= 6_000);
  });

  test("what a browser has already is not sent again", async () => {
    for (const path of ["/branding/tokens.css", "/branding/page.css", "/sdk/app.css", "/branding/logo"]) {
      const { etag } = (await send(listener, path)).headers;
      const again = await send(listener, path, { headers: { "if-none-match": etag ?? "" } });
      assert.deepEqual([again.status, again.text], [304, ""], path);
    }
  });

  test("no script of a logo runs, also if it is opened as a page", async () => {
    const { headers, text } = await send(listener, "/branding/logo");
    assert.equal(text, script);
    assert.equal(headers["content-type"], "image/svg+xml");
    assert.equal(headers["content-security-policy"], "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    assert.equal(headers["x-content-type-options"], "nosniff");
  });
});

test("the logo is that of Appserver without another one, and a listener without pages has none", async () => {
  const [own, none] = [await started({ branding: { name: "Appserver" } }), await started()];
  assert.match((await send(own, "/branding/logo")).text, /<title>Appserver<\/title>/);
  assert.equal((await send(none, "/branding/logo")).status, 404);
  await own.stop();
  await none.stop();
});

/** Returns selector and content of each rule that is in no other one. */
function outermostRules(css: string): readonly (readonly [selector: string, content: string])[] {
  const rules: (readonly [string, string])[] = [];
  const text = css.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/"[^"]*"/g, '""');
  let depth = 0;
  let start = 0;
  let selector = "";
  for (const [index, character] of [...text].entries()) {
    if (character === "{" && depth++ === 0) selector = text.slice(start, index).trim();
    else if (character === "}" && --depth === 0) rules.push([selector, text.slice(text.indexOf("{", start) + 1, index).trim()]);
    if (depth === 0 && character === "}") start = index + 1;
  }
  assert.deepEqual([depth, text.slice(start).trim()], [0, ""]);
  return rules;
}
