import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type PlatformUnderTest, publishApp, testApp, untilState, untilStatus, writeAppFolder } from "@appserver/testing/kit";
import { build, type Rollup } from "vite";

export const rendered = "com.example.rendered";

/** Runs in the page: shows what the contract says, and what the page reaches that it must not reach. */
const script = `
import { connectPage } from "@appserver/sdk/page";
const attempt = async (name, work) => {
  try { return name + ": " + await work(); } catch { return name + ": refused"; }
};
const violates = (tag, url) => new Promise((resolve, reject) => {
  const element = document.createElement(tag);
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => (blockedURI.endsWith(url) || url.startsWith(blockedURI)) && reject(), { signal: AbortSignal.timeout(60000) });
  element.onload = element.onerror = () => setTimeout(resolve, 1000, "was requested");
  element.src = url;
  document.head.append(element);
});
const page = await connectPage();
const data = await (await page.fetch("/data")).json();
const reached = await Promise.all([
  attempt("origin", () => { if (self.origin !== "null") return self.origin; throw 0; }),
  attempt("graphql", () => fetch("/graphql", { method: "POST", headers: { "content-type": "application/json" }, body: '{"query":"{ viewer { subject } }"}' }).then((response) => response.text())),
  attempt("api", () => fetch("/api/apps/${rendered}/data").then((response) => response.status)),
  attempt("outside", () => violates("img", "http://127.0.0.1:9/image.png")),
  attempt("script of a backend", () => violates("script", "/api/apps/${rendered}/script.js")),
  attempt("frame", () => violates("iframe", "http://127.0.0.1:9/")),
  attempt("eval", () => (0, eval)("1")),
  attempt("another app", () => page.fetch("/../other/data").then((response) => response.status)),
  attempt("cookie", () => { if (document.cookie) return document.cookie; throw 0; }),
  attempt("storage", () => localStorage.length),
  attempt("document", () => parent.document.title),
  attempt("top", () => { top.location.href = "about:blank"; throw 0; }),
]);
document.querySelector("#viewer").textContent = page.viewer.displayName + " sees " + data.value + " in " + page.theme + " at " + page.path
  + " and may " + page.viewer.permissions.filter((each) => page.can(each)).join();
document.querySelector("pre").textContent = reached.join("\\n");
`;

const server = (bundle: string) => `
import { createServer } from "node:http";
const script = ${JSON.stringify(bundle)};
createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://app");
  if (pathname === "/health") return response.end();
  if (pathname === "/data") return response.setHeader("content-type", "application/json").end('{"value":"data of the API"}');
  const path = pathname.replace("/apps/${rendered}/page", "");
  response.setHeader("content-type", "text/html; charset=utf-8");
  if (path.startsWith("/plain"))
    return response.end("<!doctype html><title>Plain</title><link rel='stylesheet' href='/sdk/app.css'><body class='app'><h1>Plain page " + path + "</h1><a href='/apps/${rendered}/page/elsewhere'>Leave</a>");
  response.end("<!doctype html><title>Report</title><h1>Report " + (path || "/") + " for " + request.headers["x-user-id"] + "</h1>"
    + "<p id='viewer'></p><pre></pre><a href='/rendered/reports/2?x=1'>Next report</a><script type='module'>" + script + "</script>");
}).listen(Number(process.env.PORT), process.env.HOST);
process.once("SIGTERM", () => process.exit(0));
`;

/** Installs an app that renders its pages. Returns a function that removes its folder. */
export async function installRenderedApp(platform: PlatformUnderTest): Promise<() => Promise<void>> {
  const folder = await writeAppFolder(server(await bundle()));
  await publishApp(platform, rendered, folder);
  const ui = { mode: "ESM_COMPONENT", entry_asset_name: "page.js", route_base: "/rendered", ssr: true };
  const navigation = [{ title: "Rendered", href: "/rendered" }];
  const api = {
    base_path: `/api/apps/${rendered}`,
    upstream_base_url: `http://app-${rendered}:3000`,
    strip_base_path: true,
    health_check: { path: "/health", interval_seconds: 1 },
    routes: [
      { pattern: "/data", methods: ["GET"] },
      { pattern: "/reports", methods: ["POST"], scopes: ["reports:approve"] },
    ],
  };
  const manifest = {
    name: rendered,
    display_name: "Rendered",
    web_app: { assets: ["page.js"], ui: { ...ui, navigation }, api },
  };
  await platform.register(await testApp(manifest, { "page.js": "export const mount = () => {};" }));
  await platform.client().marketplace.installApp({ name: rendered });
  await untilState(platform, rendered, "RUNNING");
  // The server receives the app as an event. Before that, it has no such page, and nothing leads to the login.
  await untilStatus(platform.httpUrl, "/rendered", 200);
  return () => rm(folder, { recursive: true });
}

/** Returns the script with the SDK's part in it. */
async function bundle(): Promise<string> {
  const id = "virtual:page";
  const source = {
    name: "source",
    resolveId: (name: string) => (name === id ? id : null),
    load: (name: string) => (name === id ? script : null),
  };
  const output = (await build({
    configFile: false,
    logLevel: "error",
    root: resolve(import.meta.dirname, "../../../../sdk/web"),
    plugins: [source],
    resolve: { alias: { "@appserver/sdk/page": resolve(import.meta.dirname, "../../../../sdk/web/page.ts") } },
    build: { write: false, target: "es2022", rollupOptions: { input: id } },
  })) as Rollup.RollupOutput;
  // It stands inside of a script element.
  return output.output[0].code.replaceAll("</", "<\\/");
}
