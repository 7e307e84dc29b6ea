import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import {
  approvePermissions,
  eventually,
  nextNotes,
  type PlatformUnderTest,
  startPlatform,
  testApp,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import type { FrameLocator, Locator } from "playwright-core";
import { command, purgeApp, switchBy } from "../../../contract/commands.ts";
import { approveUpgrade } from "../approve-upgrade.ts";
import { withoutChromium } from "../launch-chromium.ts";
import type { PageGlobals } from "../page-globals.ts";
import { ConsolePage } from "./console-page.ts";

const notes = "com.example.notes";
const hostile = "com.hostile.page";
const throwing = "com.example.throwing";
const ailing = "com.example.ailing";
const board = "com.example.element";
const uploads = "com.example.uploads";
/** Other files write notes, too. */
const mark = randomUUID();
const written = `Written in the console ${mark}`;
const altered = ["com.example.altered", "com.example.altered-twice"] as const;

/** Reports as text what a page reached that it must not reach. */
const hostileScript = `
const attempt = async (name, work) => {
  try { return name + ": " + await work(); } catch (error) { return name + ": refused"; }
};
const violates = (tag, url) => new Promise((resolve, reject) => {
  const element = document.createElement(tag);
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => (blockedURI.endsWith(url) || url.startsWith(blockedURI)) && reject(), { signal: AbortSignal.timeout(60000) });
  element.onload = element.onerror = () => setTimeout(resolve, 1000, "was requested");
  element.src = url;
  document.head.append(element);
});
export async function mount(element, page) {
  const reached = await Promise.all([
    attempt("origin", () => { if (self.origin !== "null") return self.origin; throw 0; }),
    attempt("graphql", () => fetch("/graphql", { method: "POST", headers: { "content-type": "application/json" }, body: '{"query":"{ viewer { subject } }"}' }).then((response) => response.text())),
    attempt("own api by fetch", () => fetch("/api/apps/${notes}/notes").then((response) => response.status)),
    attempt("another app", () => page.fetch("/../${notes}/notes").then((response) => response.status)),
    attempt("another app, encoded", () => page.fetch("/%2e%2e/${notes}/notes").then((response) => response.status)),
    attempt("graphql over the port", () => page.fetch("/../../../graphql").then((response) => response.status)),
    attempt("cookie", () => { if (document.cookie) return document.cookie; throw 0; }),
    attempt("storage", () => localStorage.length),
    attempt("document", () => parent.document.title),
    attempt("script of a backend", () => violates("script", "/api/apps/${notes}/script.js")),
    attempt("script of another app", () => violates("script", "/apps/${notes}/assets/remoteEntry.js")),
    attempt("image of a backend", () => violates("img", "/api/apps/${notes}/image.png")),
    attempt("WebRTC", () => [typeof RTCPeerConnection, typeof webkitRTCPeerConnection].find((type) => type !== "undefined") ?? Promise.reject()),
    attempt("WebRTC of a frame", () => {
      const inner = document.head.appendChild(document.createElement("iframe"));
      return typeof inner.contentWindow.RTCPeerConnection;
    }),
    attempt("outside", () => fetch("http://127.0.0.1:9/").then(() => "reached")),
    attempt("top", () => { top.location.href = "about:blank"; throw 0; }),
  ]);
  for (const path of ["/../../console", "\\\\evil.example/"]) page.navigate(path);
  element.innerHTML = "<h1>Hostile</h1>";
  const list = document.createElement("pre");
  list.textContent = reached.join("\\n");
  element.append(list);
}
`;

/** Sends a file, then a query for the platform to an address from which its backend redirects there. */
const uploadingScript = `
export async function mount(element, page) {
  const seen = [];
  const onUpload = (sent, total) => seen.push([sent, total]);
  const stored = await page.fetch("/files", { method: "PUT", body: new Blob([new Uint8Array(3000000)]), onUpload });
  element.textContent = await stored.text() + " bytes are stored, the last report was " + seen.at(-1).join(" of ");
  const headers = { "content-type": "application/json", "X-Appserver-Redirects": "follow" };
  const away = await page.fetch("/away", { method: "POST", headers, body: '{"query":"{ viewer { subject } }"}', onUpload });
  element.textContent += ", the redirection is " + away.status + " " + (await away.json()).code;
}
`;

describe("pages of apps in the console, in Chromium", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    console = await ConsolePage.launch(platform);
    // Before the server has received the app, nothing leads to the login.
    await untilStatus(platform.httpUrl, "/notes", 200);
    await console.visit("/notes");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    for (const name of [hostile, throwing, ailing, board, uploads, ...altered]) await purgeApp(platform, name);
    await platform?.stop();
  });
  const frame = (): FrameLocator => console.page.frameLocator("iframe");

  async function install(name: string, mode: string, script: string, api: object = {}): Promise<void> {
    const ui = { mode, entry_asset_name: "page.js", route_base: `/${name}`, navigation: [{ title: name, href: `/${name}` }] };
    const exposed = mode === "ESM_COMPONENT" ? { exposed_module: "./Page" } : {};
    const app = await testApp(
      { name, web_app: { assets: ["page.js"], ui: { ...ui, ...exposed }, ...api } },
      { "page.js": script },
    );
    await platform.register(app);
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    await untilStatus(platform.httpUrl, `/${name}`, 200);
  }

  /** Waits until a main button of an app has the platform's accent. The sheet of a shadow root does not delay its page. */
  async function untilPainted(button: Locator): Promise<void> {
    const paint = () =>
      button.evaluate((element) => (globalThis as unknown as PageGlobals).getComputedStyle(element).backgroundColor);
    // Below the mouse it is darker.
    await eventually(paint, (found) => ["rgb(59, 91, 219)", "rgb(54, 79, 199)"].includes(found));
  }

  /** Adds a note as another client of the same user. */
  async function postNote(text: string): Promise<void> {
    const response = await fetch(`${platform.httpUrl}/api/apps/${notes}/notes`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: await platform.login("admin") },
      body: JSON.stringify({ text }),
    });
    assert.equal(response.status, 201);
  }

  test("the federated page of notes is in a frame without the platform's origin, and works", async () => {
    await frame().getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    assert.equal(await console.page.locator("iframe").getAttribute("sandbox"), "allow-scripts allow-forms");
    await frame().getByLabel("New note").fill(written);
    await frame().getByRole("button", { name: "Add note" }).click();
    await frame().getByText(written).waitFor();
    await untilPainted(frame().getByRole("button", { name: "Add note" }));
    console.requireQuiet();
  });

  test("deep links, the menu and the back button change the path of the page, which stays loaded", async () => {
    await frame().getByLabel("New note").fill("not sent yet");
    await console.page.getByRole("link", { name: "New note" }).click();
    assert.match(console.page.url(), /\/notes\/new$/);
    assert.equal(await frame().getByLabel("New note").inputValue(), "not sent yet");
    await console.page.getByRole("link", { name: "About notes" }).click();
    await frame().getByRole("heading", { name: "About notes" }).waitFor();
    await console.page.goBack();
    await frame().getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    await console.visit("/notes/about");
    await frame().getByRole("heading", { name: "About notes" }).waitFor();
    console.requireQuiet();
  });

  test("notes of others appear through their hook, and a note is edited and deleted", async () => {
    await console.visit("/notes");
    await frame().getByText(written).waitFor();
    await postNote("Written elsewhere");
    const item = frame().getByRole("listitem").filter({ hasText: "Written elsewhere" });
    await item.getByText(platform.userId("admin")).waitFor();
    await item.getByRole("button", { name: "Edit: Written elsewhere" }).click();
    await frame().getByRole("textbox", { name: "Text of the note" }).fill("Corrected here");
    await frame().getByRole("button", { name: "Save" }).click();
    const corrected = frame().getByRole("listitem").filter({ hasText: "Corrected here" });
    await corrected.getByText("edited", { exact: true }).waitFor();
    await console.requireAccessible("the page of notes");
    await corrected.getByRole("button", { name: "Delete: Corrected here" }).press("Enter");
    await frame().getByRole("button", { name: "Delete this note?" }).press("Enter");
    await corrected.waitFor({ state: "detached" });
    console.requireQuiet();
  });

  test("the ESM page of the clock, which is trusted with the origin, shows the time of its backend in the document of the console", async () => {
    await console.page.getByRole("link", { name: "Clock" }).click();
    await console.text(/^There (is|are) \d+ notes?$/);
    assert.equal(await console.page.locator("iframe").count(), 0);
    // The styles for apps apply to the page, and to nothing around it.
    const sizeOf = (selector: string) =>
      console.page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).fontSize`);
    await eventually(
      () => sizeOf(".clock .badge"),
      (size) => size === "12px",
    );
    const outside = console.page.evaluate<string>(`(() => {
      const badge = document.body.appendChild(Object.assign(document.createElement("p"), { className: "badge" }));
      const { display } = getComputedStyle(badge);
      badge.remove();
      return display;
    })()`);
    assert.equal(await outside, "block");
    const scheme = () => console.page.evaluate<string>('getComputedStyle(document.querySelector(".clock")).colorScheme');
    assert.equal(await scheme(), "light");
    await console.page.emulateMedia({ colorScheme: "dark" });
    await eventually(scheme, (found) => found === "dark");
    await console.page.emulateMedia({ colorScheme: "light" });
    await postNote("Told to the clock");
    await console.text(/^New note at [\d:]+: Told to the clock$/);
    await console.requireAccessible("the page of the clock");
    console.requireQuiet();
  });

  test("a custom element is shown, and one that installs elsewhere appears in the menu without a reload", async () => {
    await console.page.evaluate("window.unloaded = false");
    await install(
      board,
      "WEB_COMPONENT",
      `customElements.define("com-example-element", class extends HTMLElement {
        connectedCallback() {
          this.attachShadow({ mode: "open" }).innerHTML = "<link rel=stylesheet href=/sdk/app.css><div class=app><h1>Board of " +
            this.page.viewer.displayName + "</h1><button class=primary>Save</button></div>";
        }
      });`,
    );
    await console.page.getByRole("link", { name: board }).click();
    await frame().getByRole("heading", { name: "Board of Ada Admin" }).waitFor();
    await untilPainted(frame().getByRole("button", { name: "Save" }));
    assert.equal(await console.page.evaluate("window.unloaded"), false);
    console.requireQuiet();
  });

  test("a hostile page reaches neither GraphQL nor the session nor another app", async () => {
    await install(hostile, "ESM_COMPONENT", hostileScript);
    await console.visit(`/${hostile}`);
    await frame().getByRole("heading", { name: "Hostile" }).waitFor();
    const reached = (await frame().locator("pre").innerText()).split("\n");
    assert.equal(reached.length, 16);
    assert.deepEqual(
      reached.filter((each) => !each.endsWith(": refused")),
      [],
    );
    await console.text("is not a path of");
    assert.ok(console.page.url().startsWith(`${platform.httpUrl}/${hostile}`), console.page.url());
    // The browser reports each refusal.
    console.problems.length = 0;
  });

  test("a script with one altered byte does not run, and the page says why", async () => {
    const script = `export function mount(element) { element.textContent = "it ran"; }`;
    for (const [name, change, reason] of [
      [altered[0], "", "could not be loaded"],
      [altered[1], ", sha256 = encode(sha256(@contents), 'hex')", "was changed: its bytes do not match the hash"],
    ] as const) {
      await install(name, "ESM_COMPONENT", script);
      const contents = "set_byte(contents, 3, get_byte(contents, 3) # 1)";
      const changed = await platform.onDatabase((sql) =>
        sql.query(
          `update marketplace.assets set contents = ${contents}${change.replace("@contents", contents)}
           where name = 'page.js' and app_id = (select id from marketplace.apps where name = $1)`,
          [name],
        ),
      );
      assert.equal(changed.count, 1);
      await console.visit(`/${name}`);
      await console.page.getByRole("alert").getByText(`page.js ${reason}`).waitFor();
      assert.equal(await console.page.getByText("it ran").count(), 0);
      console.problems.length = 0;
    }
  });

  test("a page that throws is contained: the reason stands in its place, and the menu works", async () => {
    await install(throwing, "ESM_COMPONENT", `export function mount() { throw new Error("the page is broken"); }`);
    await console.visit(`/${throwing}`);
    await console.page.getByRole("alert").getByText("the page is broken").waitFor();
    await console.page.getByRole("link", { name: "Logs of the app" }).waitFor();
    await console.requireAccessible("a page that failed");
    await console.click("Load it again");
    await console.page.getByRole("alert").getByText("the page is broken").waitFor();
    await console.page.getByRole("link", { name: "Logs of the app" }).click();
    await console.page.waitForURL(`**/console/apps/${throwing}/logs`);
    await console.text("The app has no log now");
    await console.page.getByRole("link", { name: "Clock" }).click();
    await console.text(/^There (is|are) \d+ notes?$/);
    console.requireQuiet();
  });

  test("a page in a frame sends a file and sees its progress, and no redirection takes its requests to the platform", async () => {
    const backend = createServer((request, response) => {
      let length = 0;
      request.on("data", (chunk: Buffer) => (length += chunk.length));
      request.on("end", () => {
        if (request.url === "/away") response.writeHead(307, { location: "/graphql" }).end();
        else response.end(String(length));
      });
    });
    await once(backend.listen(0, "127.0.0.1"), "listening");
    try {
      await install(uploads, "ESM_COMPONENT", uploadingScript, {
        api: {
          base_path: `/api/apps/${uploads}`,
          upstream_base_url: `http://127.0.0.1:${(backend.address() as AddressInfo).port}`,
          strip_base_path: true,
          routes: [{ pattern: "/**", methods: ["PUT", "POST"] }],
        },
      });
      await console.visit(`/${uploads}`);
      const report = frame().getByText("the redirection is");
      await report.waitFor();
      assert.equal(
        await report.textContent(),
        "3000000 bytes are stored, the last report was 3000000 of 3000000, the redirection is 502 UPSTREAM_ERROR",
      );
      // The browser reports the response.
      console.problems.length = 0;
    } finally {
      backend.closeAllConnections();
      backend.close();
    }
  });

  test("the page of an app that does not run says so, and opens by itself when it runs again", async () => {
    let status = 200;
    const backend = createServer((_request, response) => response.writeHead(status).end());
    await once(backend.listen(0, "127.0.0.1"), "listening");
    try {
      const upstream = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
      const check = { path: "/health", interval_seconds: 1, unhealthy_threshold: 1 };
      await install(ailing, "ESM_COMPONENT", `export function mount(element) { element.textContent = "The page is open"; }`, {
        api: { base_path: `/api/apps/${ailing}`, upstream_base_url: upstream, health_check: check },
      });
      await console.visit(`/${ailing}`);
      await frame().getByText("The page is open").waitFor();
      await console.page.evaluate("window.unloaded = false");
      status = 503;
      await console.text("The app does not run at the moment");
      await console.text("Unhealthy");
      await console.page.getByRole("link", { name: "See what is being done" }).waitFor();
      await console.requireAccessible("the page of an app that does not run");
      status = 200;
      await frame().getByText("The page is open").waitFor();
      assert.equal(await console.page.evaluate("window.unloaded"), false);
      console.requireQuiet();
    } finally {
      backend.closeAllConnections();
      backend.close();
    }
  });

  test("an upgrade elsewhere that is trusted with the origin replaces the page", async () => {
    await console.visit("/notes");
    await frame().getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    await platform.register(await nextNotes());
    assert.deepEqual(await approvePermissions(platform, notes), []);
    await approveUpgrade(platform, notes);
    await command(platform, `upgradeApp(name: "${notes}") { success }`);
    await console.page.getByLabel("Search notes").fill(mark);
    await console.click("Search");
    await console.text("1 found");
    assert.equal(await console.page.locator("iframe").count(), 0);
    await console.requireAccessible("the page of notes");
    await switchBy(platform, `rollbackApp(name: "${notes}", version: "1.0.0")`, 120_000);
    await command(platform, `revokePermissions(name: "${notes}", scopes: ["page:origin"]) { success }`);
    await frame().getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    console.requireQuiet();
  });

  test("an app that is disabled, uninstalled or unknown has no page", async () => {
    await platform.graphql(`mutation { setAppEnabled(name: "${board}", enabled: false) { success } }`);
    await console.page.getByRole("link", { name: board }).waitFor({ state: "detached" });
    await console.visit(`/${board}`);
    await console.text("There is no such page");
    assert.equal((await fetch(`${platform.httpUrl}/com.example.none`)).status, 404);
    console.requireQuiet();
  });
});
