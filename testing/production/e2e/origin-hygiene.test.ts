import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RunningPlatform, testApp, untilState, untilStatus } from "@appserver/testing/kit";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type HostileBackend, hostileScript, startHostileBackend } from "./hostile-backend.ts";
import { launchChromium, withoutChromium } from "./launch-chromium.ts";
import type { PageGlobals } from "./page-globals.ts";

const hostile = "com.hostile.pages";
const trusted = "com.trusted.pages";
const files = {
  "page.html": `<!doctype html><script>${hostileScript}</script>`,
  "picture.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>${hostileScript}</script></svg>`,
  "main.js": "export const loaded = true;\n",
};

/** Returns the origin in which the hostile script ran in a page, if it ran. */
const ranFor = () => (globalThis as unknown as PageGlobals).ran;

/** A page of an app in Chromium, with the session of a visitor who has every permission. */
describe("a hostile app's pages in Chromium", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let backend: HostileBackend;
  let browser: Browser;
  let context: BrowserContext;
  let session: { readonly name: string; readonly value: string };
  let planted = "";

  before(async () => {
    platform = await RunningPlatform.start();
    backend = await startHostileBackend(() => planted);
    planted = await platform.login("bob");
    for (const name of [hostile, trusted]) await install(name);
    const [name = "", value = ""] = (await platform.login("admin")).split("=");
    session = { name, value };
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await backend?.stop();
    await platform?.stop();
  });

  async function install(name: string): Promise<void> {
    const required = { scope: "page:origin", resource_type: "platform", reason: "Its pages call the platform." };
    const app = await testApp(
      {
        name,
        ...(name === trusted && { required_permissions: [required] }),
        web_app: {
          api: {
            base_path: "/",
            upstream_base_url: backend.url,
            routes: [{ pattern: "/**", methods: ["GET"], is_public: true }],
          },
          assets: Object.keys(files),
          ui: { mode: "ESM_COMPONENT", entry_asset_name: "main.js", exposed_module: "./App", route_base: `/${name}` },
        },
      },
      files,
    );
    await platform.register(app);
    if (name === trusted)
      await platform.graphql(`mutation { approvePermissions(name: "${name}", scopes: ["page:origin"]) { success } }`);
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    await untilStatus(platform.httpUrl, `/api/apps/${name}/html`, 200);
  }

  /** Opens a page in a new, logged-in browser and runs `work` in it. */
  async function visit<T>(path: string, work: (page: Page) => Promise<T>): Promise<T> {
    context = await browser.newContext();
    await context.addCookies([{ ...session, url: platform.httpUrl, httpOnly: true, sameSite: "Lax" }]);
    try {
      const page = await context.newPage();
      await page.goto(platform.httpUrl + path);
      return await work(page);
    } finally {
      await context.close();
    }
  }

  /** Asserts that the visitor's session is unchanged and no other cookie applies outside the app's base path. */
  async function assertUntouched(): Promise<void> {
    const cookies = await context.cookies(`${platform.httpUrl}/graphql`);
    assert.deepEqual(
      cookies.map(({ name, value }) => ({ name, value })),
      [session],
    );
  }

  const pages = [
    "html",
    "svg",
    "xhtml",
    "xml",
    "application-xml",
    "no-type",
    "bad-type",
    "text",
    "json",
    "two-types",
    "error",
    "weak-policy",
  ];
  for (const path of pages) {
    test(`/${path}: its script does not run, or runs in another origin`, async () => {
      const ran = await visit(`/api/apps/${hostile}/${path}`, (page) => page.evaluate(ranFor));
      assert.ok(ran === undefined || ran === "null", `ran as ${ran}`);
    });
  }

  for (const asset of ["page.html", "picture.svg"]) {
    test(`the asset ${asset} runs no script`, async () => {
      const path = `/apps/${hostile}/assets/${asset}`;
      assert.equal(await visit(path, (page) => page.evaluate(ranFor)), undefined);
    });
  }

  for (const path of ["html", "svg", "no-type"]) {
    test(`/${path}: cannot read GraphQL or another app's responses with any kind of request`, async () => {
      const seen = await visit(`/api/apps/${hostile}/${path}`, (page) =>
        page.evaluate(async () => {
          const page = globalThis as unknown as PageGlobals;
          const { document, location } = page;
          const body = JSON.stringify({ query: "{ apps { totalCount } }" });
          const init = { credentials: "include", headers: { "content-type": "application/json" } } as const;
          const base = location.href.split("/api/apps/")[0];
          const reads: (() => Promise<string>)[] = [
            async () => (await fetch(`${base}/graphql`, { ...init, method: "POST", body })).text(),
            async () => (await fetch(`${base}/graphql`, { credentials: "include", method: "POST", body })).text(),
            async () => (await fetch(`${base}/graphql?query={apps{totalCount}}`, { credentials: "include" })).text(),
            async () => (await fetch(`${base}/api/apps/com.example.notes/notes`, { credentials: "include" })).text(),
            async () => (await fetch(`${base}/graphql?query={apps{totalCount}}`, { mode: "no-cors" })).text(),
            async () => document.cookie,
            ...["graphql", "api/apps/com.example.notes/notes"].map((path) => async () => {
              const socket = new WebSocket(`${base?.replace(/^http/, "ws")}/${path}`, "graphql-transport-ws");
              const outcome = await new Promise<{ type: string }>((resolve) => {
                socket.onopen = resolve;
                socket.onerror = resolve;
              });
              return outcome.type === "open" ? "open" : "";
            }),
            async () => String(Object.keys(page.localStorage)),
            async () => {
              const frame = document.createElementNS("http://www.w3.org/1999/xhtml", "iframe");
              frame.src = `${base}/health`;
              document.documentElement.append(frame);
              await new Promise((resolve) => frame.addEventListener("load", resolve));
              return frame.contentDocument?.documentElement.outerHTML ?? "";
            },
          ];
          return await Promise.all(reads.map((read) => read().catch(() => "")));
        }),
      );
      assert.deepEqual(
        seen,
        seen.map(() => ""),
      );
    });
  }

  test("neither the page nor a page of the platform can register a service worker", async () => {
    const register = (page: Page, url: string, scope: string) =>
      page.evaluate(
        async ([script = "", within = ""]) => {
          try {
            const { navigator } = globalThis as unknown as PageGlobals;
            await navigator.serviceWorker.register(script, { scope: within });
            return "registered";
          } catch {
            return "refused";
          }
        },
        [url, scope],
      );
    const worker = `${platform.httpUrl}/api/apps/${hostile}/worker.js`;
    assert.equal(await visit(`/api/apps/${hostile}/html`, (page) => register(page, worker, "/")), "refused");
    const asset = `${platform.httpUrl}/apps/${hostile}/assets/main.js`;
    for (const [script, scope] of [
      [worker, "/"],
      [worker, `/api/apps/${hostile}/`],
      [asset, `/apps/${hostile}/assets/`],
    ] as const)
      assert.equal(await visit(`/api/apps/${trusted}/html`, (page) => register(page, script, scope)), "refused", script);
  });

  test("cookies of responses and of a handshake do not change the session", async () => {
    await visit(`/api/apps/${hostile}/cookies`, async (page) => {
      await assertUntouched();
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const { location } = globalThis as unknown as PageGlobals;
            const socket = new WebSocket(`${location.href.replace(/^http/, "ws")}/socket`);
            socket.onclose = resolve;
          }),
      );
      await assertUntouched();
    });
  });

  test("a page can neither clear nor overwrite the session", async () => {
    await visit(`/api/apps/${hostile}/clear`, async (page) => {
      await assertUntouched();
      await page.evaluate((cookie) => {
        try {
          Reflect.set((globalThis as unknown as PageGlobals).document, "cookie", `${cookie}; Path=/`);
        } catch {
          // The browser may refuse, as it should.
        }
      }, planted);
      await assertUntouched();
    });
  });

  test("forms and refreshes change nothing", async () => {
    const mutation = `mutation{uninstallApp(name:"${trusted}"){success}}`;
    const attempts: readonly (readonly [name: string, markup: string])[] = [
      [
        "form as text",
        `<form method=post enctype=text/plain action=/graphql><input name='{"query":"${mutation.replaceAll('"', '\\"')}","x":"' value='"}'></form>`,
      ],
      ["form", `<form method=post action=/graphql><input name=query value='${mutation}'></form>`],
      ["login", `<form method=post action=/dev/login><input name=user value=bob></form>`],
      [
        "notes",
        `<form method=post enctype=text/plain action=/api/apps/com.example.notes/notes><input name=text value=x></form>`,
      ],
      ["refresh", `<meta http-equiv=refresh content='0;url=/graphql?query=${encodeURIComponent(mutation)}'>`],
    ];
    for (const [name, markup] of attempts) {
      await visit(`/api/apps/${hostile}/html`, async (page) => {
        const left = page.waitForNavigation({ timeout: 10_000 });
        await page.evaluate((text) => {
          const { document } = globalThis as unknown as PageGlobals;
          document.body.innerHTML = text;
          document.forms[0]?.submit();
        }, markup);
        const answer = await left;
        assert.ok((answer?.status() ?? 0) >= 400, `${name}: ${answer?.status()}`);
        await assertUntouched();
      });
    }
    const { data } = await platform.graphql("query ($name: String!) { app(name: $name) { state } }", { name: trusted });
    assert.deepEqual(data, { app: { state: "RUNNING" } });
  });

  test("the page of an app with the permission page:origin acts with its visitor's session", async () => {
    const seen = await visit(`/api/apps/${trusted}/html`, (page) =>
      page.evaluate(async () => {
        const response = await fetch("/graphql", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query: "{ apps { totalCount } }" }),
        });
        const notes = await fetch("/api/apps/com.example.notes/notes");
        return { origin: (globalThis as unknown as PageGlobals).origin, answer: await response.text(), notes: notes.status };
      }),
    );
    assert.equal(seen.origin, platform.httpUrl);
    assert.match(seen.answer, /"totalCount":\d/);
    assert.equal(seen.notes, 200);
    const asset = await visit(`/apps/${trusted}/assets/page.html`, (page) => page.evaluate(ranFor));
    assert.equal(asset, platform.httpUrl);
  });

  test("scripts of assets load into a page of the platform: modules, federated ones, and a backend's", async () => {
    const scripts = [
      `/apps/${hostile}/assets/main.js`,
      "/apps/com.example.notes/assets/remoteEntry.js",
      `/api/apps/${hostile}/module.js`,
    ];
    for (const script of scripts) {
      const exported = await visit(`/api/apps/${trusted}/html`, (page) =>
        page.evaluate(async (url) => Object.keys(await import(url)).length, script),
      );
      assert.ok(exported > 0, script);
    }
  });
});
