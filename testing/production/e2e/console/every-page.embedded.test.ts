import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { approvePermissions, nextNotes, RunningPlatform, testApp, until, untilState } from "@appserver/testing/kit";
import type { Locator, Page, Route } from "playwright-core";
import { command, switchBy } from "../../../contract/commands.ts";
import { approveUpgrade } from "../approve-upgrade.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { consoleRoutes } from "./console-routes.ts";
import { formsApp, formsManifest } from "./forms-app.ts";
import { booked, LedgerApp, ledger } from "./ledger-app.ts";
import { storeText } from "./pictures.ts";
import { installRenderedApp } from "./rendered-app.ts";

const notes = "com.example.notes";
const framed = "com.example.framed";
const maxScriptBytes = 250_000;

/** A page in one state. */
interface View {
  /** The route of the router that shows it. */
  readonly route: string;
  /** Of its pictures. Default: its path. */
  readonly name?: string;
  /** Default: the route. */
  readonly path?: string;
  /** What is in sight as soon as the page has loaded. */
  readonly ready: (page: Page) => Locator;
  /** A form that loads the scripts of all inputs, also of those that few apps have. */
  readonly hasEveryInput?: boolean;
  /** What a user does then, for example to open a dialog. Resolves when the result is in sight. */
  readonly open?: (console: ConsolePage) => Promise<unknown>;
}

const h1 = (name: string) => (page: Page) => page.getByRole("heading", { name, level: 1, exact: true });
/** The last part of the overview that loads a script. */
const chart = (page: Page) => page.getByRole("img", { name: /^Requests of the last hour/ });
const inMain = (text: string | RegExp) => (page: Page) => page.locator("main").getByText(text).first();
const inFrame = (heading: string) => (page: Page) =>
  page.frameLocator("iframe").getByRole("heading", { name: heading, level: 1 });
/** Clicks a button that opens a dialog with this text. */
const dialog = (button: string, text: string | RegExp) => async (console: ConsolePage) => {
  await console.page.getByRole("button", { name: button, exact: true }).first().click();
  await console.dialog.getByText(text).first().waitFor();
};

/** Run ids and trace ids are known only when the platform runs. */
interface Ids {
  readonly target: string;
  readonly run: string;
  readonly failedRun: string;
  readonly trace: string;
}

const viewsOf = ({ run, failedRun, trace, target }: Ids): readonly View[] => [
  { route: "/", name: "home", ready: (page) => page.getByRole("main").getByRole("link").first() },
  { route: "/console", name: "console overview", ready: chart },
  { route: "/console/signed-in", ready: h1("You are signed in") },
  { route: "/console/apps", ready: (page) => page.getByRole("row").filter({ hasText: formsApp }) },
  {
    route: "/console/apps",
    name: "dialog install",
    ready: h1("Apps"),
    open: dialog("Install Forms", "Install Forms 1.0.0"),
  },
  { route: "/console/gallery", ready: inMain("The links that a team needs, in groups.") },
  { route: "/console/apps/$name", path: `/console/apps/${notes}`, ready: inMain("Certificate expires") },
  {
    route: "/console/apps/$name",
    name: "dialog roll back",
    path: `/console/apps/${notes}`,
    ready: inMain("Certificate expires"),
    open: dialog("Roll back to 1.0.0", /1\.0\.0/),
  },
  {
    route: "/console/apps/$name",
    name: "dialog uninstall",
    path: `/console/apps/${notes}`,
    ready: inMain("Certificate expires"),
    open: dialog("Uninstall", "Also delete its data"),
  },
  {
    route: "/console/apps/$name/settings",
    path: `/console/apps/${formsApp}/settings`,
    ready: inMain("f.pairs"),
    hasEveryInput: true,
  },
  { route: "/console/apps/$name/settings", path: `/console/apps/${notes}/settings`, ready: inMain("notes.page_size") },
  {
    route: "/console/apps/$name/permissions",
    path: `/console/apps/${notes}/permissions`,
    ready: inMain("Who may use the app"),
  },
  { route: "/console/apps/$name/routes", path: `/console/apps/${notes}/routes`, ready: inMain("/notes") },
  {
    route: "/console/apps/$name/routes",
    name: "dialog try a route",
    path: `/console/apps/${notes}/routes`,
    ready: inMain("/notes"),
    open: dialog("Try it: GET /notes", "Query"),
  },
  {
    route: "/console/apps/$name/logs",
    path: `/console/apps/${notes}/logs`,
    ready: (page) => page.locator(".log-line").first(),
  },
  { route: "/console/apps/$name/hooks", path: `/console/apps/${ledger}/hooks`, ready: inMain(booked) },
  { route: "/console/apps/$name/runs", path: `/console/apps/${ledger}/runs`, ready: inMain("Completed") },
  { route: "/console/apps/$name/events", path: `/console/apps/${notes}/events`, ready: inMain("was installed") },
  { route: "/console/apps/$name/backups", path: `/console/apps/${notes}/backups`, ready: inMain("Backups of the platform") },
  { route: "/console/hooks", ready: inMain(booked) },
  {
    route: "/console/hooks",
    name: "a delivery with its attempts",
    path: "/console/hooks?status=DEAD",
    ready: inMain(booked),
    open: async (console) => {
      await console.click(`Details of ${booked} to ${ledger}`);
      await console.page.getByRole("region", { name: `Payload of ${booked}` }).waitFor();
    },
  },
  { route: "/console/hooks", name: "dialog trigger a hook", ready: h1("Hooks"), open: dialog("Trigger a hook", "Payload") },
  {
    route: "/console/hooks",
    name: "dialog recover dead letters",
    path: "/console/hooks?status=DEAD",
    ready: inMain(booked),
    open: dialog("Send undelivered events again", "Hook"),
  },
  { route: "/console/hooks/events", ready: inMain(booked) },
  { route: "/console/activities", ready: inMain("Completed") },
  {
    route: "/console/activities",
    name: "dialog trigger an activity",
    ready: h1("Activities"),
    open: async (console) => {
      await console.click("Trigger an activity");
      await console.dialog.getByRole("combobox", { name: "App", exact: true }).fill(ledger);
      await console.dialog.getByRole("combobox", { name: "Activity", exact: true }).fill("close-books");
      await console.dialog.getByRole("group", { name: "Property pauseMs" }).waitFor();
    },
  },
  { route: "/console/activities/schedules", ready: inMain("Europe/Berlin") },
  {
    route: "/console/activities/runs/$id",
    name: "run",
    path: `/console/activities/runs/${run}`,
    ready: inMain('"accounts": 12'),
  },
  {
    route: "/console/activities/runs/$id",
    name: "failed run",
    path: `/console/activities/runs/${failedRun}`,
    ready: inMain("the books do not balance"),
  },
  { route: "/console/access", ready: inMain("Alice Reader") },
  { route: "/console/access", name: "a person", path: "/console/access?subject=user:alice", ready: inMain("Alice") },
  { route: "/console/access", name: "dialog grant", ready: h1("Access"), open: dialog("Grant access", "Who") },
  { route: "/console/access", name: "dialog invite", ready: h1("Access"), open: dialog("Invite", "E-mail address") },
  { route: "/console/access/requests", ready: inMain("No request waits") },
  { route: "/console/access/roles", ready: inMain("What administrators may do") },
  { route: "/console/access/groups", ready: inMain("No groups") },
  {
    route: "/console/access/roles",
    name: "dialog revoke",
    ready: inMain("What administrators may do"),
    open: dialog("Revoke Role Administrators from Ada Admin", "Revoke role Administrators?"),
  },
  { route: "/console/access/service-accounts", ready: inMain("No service accounts") },
  {
    route: "/console/access/service-accounts",
    name: "dialog token",
    ready: inMain("No service accounts"),
    open: dialog("New service account", "Valid for days"),
  },
  {
    route: "/console/access/permissions",
    path: `/console/access/permissions?permission=notes:read&app=${notes}`,
    ready: inMain("Alice"),
  },
  { route: "/console/events", ready: inMain("App registered") },
  { route: "/console/notifications", path: `/console/notifications?target=${target}`, ready: inMain("RETRYING") },
  {
    route: "/console/notifications",
    name: "dialog target",
    ready: h1("Notifications"),
    open: dialog("New target", "Types of events"),
  },
  { route: "/console/backups", ready: inMain("No backups are made") },
  { route: "/console/trace", ready: inMain("Requests of the last hour") },
  { route: "/console/trace/$id", name: "trace", path: `/console/trace/${trace}`, ready: inMain("Completed") },
  { route: "/console/trace/$id", name: "an unknown trace", path: "/console/trace/0123456789abcdef", ready: inMain("Nothing") },
  { route: "/console/audit", ready: inMain("app.install") },
  { route: "/console/platform", ready: inMain("APPSERVER_DATA_DIR") },
  {
    route: "/console/platform",
    name: "palette",
    ready: h1("Platform"),
    open: async (console) => {
      await console.page.keyboard.press("Control+k");
      await console.page.getByRole("option").first().waitFor();
    },
  },
  { route: "/$", name: "app page in a frame", path: "/framed", ready: inFrame("Framed") },
  { route: "/$", name: "app page in the document", path: "/notes", ready: (page) => page.getByLabel("Search notes") },
  { route: "/$", name: "rendered app page", path: "/rendered", ready: inFrame("Report / for admin") },
  { route: "/$", name: "no such page", path: "/console/none", ready: inMain("There is no such page") },
];

/** The pages of Kratos need it: `kratos-pages.production.test.ts` looks at each under this name. */
const elsewhere: Readonly<Record<string, string>> = {
  "/login": "login",
  "/login/registration": "registration",
  "/login/recovery": "recovery",
  "/login/verification": "verification",
  "/login/settings": "account",
  "/login/error": "login-error",
};

describe("every page of the console", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let app: LedgerApp;
  let removeApp: (() => Promise<void>) | undefined;
  let console: ConsolePage;
  let views: readonly View[];
  before(async () => {
    platform = await RunningPlatform.start({ environment: { APPSERVER_HOOKS_RETRY_DELAYS: "1s" } });
    app = await LedgerApp.install(platform);
    removeApp = await installRenderedApp(platform);
    await platform.register(await formsManifest());
    await installFramed();
    await upgradeNotes();
    views = viewsOf(await fill());
    console = await ConsolePage.launch(platform);
    await console.visit("/console");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await app?.stop();
    await platform?.stop();
    await removeApp?.();
  });

  /** An app that may not use the origin of the platform. */
  async function installFramed(): Promise<void> {
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "page.js", exposed_module: "./Page", route_base: "/framed" };
    const web_app = { assets: ["page.js"], ui: { ...ui, navigation: [{ title: "Framed", href: "/framed" }] } };
    const script = 'export const mount = (element) => { element.innerHTML = "<h1>Framed</h1>"; };';
    await platform.register(await testApp({ name: framed, display_name: "Framed", web_app }, { "page.js": script }));
    await platform.client().marketplace.installApp({ name: framed });
    await untilState(platform, framed, "RUNNING");
  }

  /** To the version whose page runs in the document of the console. */
  async function upgradeNotes(): Promise<void> {
    await platform.register(await nextNotes());
    await approvePermissions(platform, notes);
    await approveUpgrade(platform, notes);
    await switchBy(platform, `upgradeApp(name: "${notes}")`, 60_000);
    await untilState(platform, notes, "RUNNING");
  }

  /** Adds a delivery, a dead letter, runs and a trace. */
  async function fill(): Promise<Ids> {
    // Nothing listens there.
    const created = await command<{ readonly createNotificationTarget: { readonly target: { readonly id: string } } }>(
      platform,
      'createNotificationTarget(name: "billing", kind: WEBHOOK, url: "http://127.0.0.1:9/") { target { id } }',
    );
    const trigger = () => command(platform, `triggerHook(name: "${booked}", data: { amount: 3 }) { eventId }`);
    await trigger();
    await until("the hook is delivered", () => app.received.length > 0);
    app.status = 500;
    await trigger();
    type Run = { readonly triggerActivity: { readonly id: string; readonly traceId: string } };
    const start = async (input: string) =>
      (
        await command<Run>(
          platform,
          `triggerActivity(appName: "${ledger}", activity: "close-books", input: ${input}) { id traceId }`,
        )
      ).triggerActivity;
    const [run, failed] = [await start("null"), await start("{ fails: true }")];
    return { run: run.id, failedRun: failed.id, trace: run.traceId, target: created.createNotificationTarget.target.id };
  }

  async function show({ route, path = route, ready, open }: View): Promise<void> {
    await console.visit(path);
    await ready(console.page).waitFor();
    await open?.(console);
    await console.page.locator("main").getByText("Loading", { exact: true }).first().waitFor({ state: "detached" });
  }

  test("is one of these, or is looked at by the test of the pages of Kratos", () => {
    const known = new Set([...views.map(({ route }) => route), ...Object.keys(elsewhere)]);
    assert.deepEqual([...known].sort(), consoleRoutes());
    const kratos = readFileSync(join(import.meta.dirname, "kratos-pages.production.test.ts"), "utf8");
    for (const name of Object.values(elsewhere)) assert.ok(kratos.includes(`lookAt("${name}")`), name);
  });

  test("is accessible on desktops and phones in both themes, and never wider than the screen", async (context) => {
    for (const view of views) {
      await context.test(view.name ?? view.path ?? view.route, async () => {
        await show(view);
        await console.lookAt(view.name ?? (view.path ?? view.route).split("?")[0] ?? "");
        // The browser reports what the sandbox of the rendered page refuses.
        if (view.path === "/rendered") console.problems.length = 0;
        console.requireQuiet();
      });
    }
  });

  test("the menu of a phone, the page of an app that does not run, and the playground are accessible", async () => {
    await console.page.setViewportSize({ width: 390, height: 844 });
    await console.visit("/console");
    await console.click("Open the menu");
    await console.page.getByRole("navigation").getByRole("link", { name: "Audit log" }).waitFor();
    await console.requireAccessible("menu of a phone");
    await console.page.setViewportSize({ width: 1440, height: 900 });
    // The state passes within a moment otherwise.
    await console.page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("query Frontend(")) return await route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('"RUNNING"', '"UNHEALTHY"') });
    });
    await console.visit("/notes");
    await console.text("The app does not run at the moment");
    await console.lookAt("app that does not run");
    await console.page.unroute("**/graphql");
    console.requireQuiet();
  });

  async function fulfillWithShell(route: Route): Promise<void> {
    if (!route.request().isNavigationRequest()) return await route.continue();
    await route.fulfill({ response: await route.fetch({ url: `${platform.httpUrl}/console/signed-in` }) });
  }

  /** Returns the sizes of scripts in the language in which each weighs most, by their names without the hash. */
  async function largestScripts(names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const built = readdirSync(join(import.meta.dirname, "../../../../apps/console/dist/assets"));
    const largest = new Map<string, number>();
    for (const file of built.filter((each) => names.has(nameOf(each)))) {
      const response = await fetch(`${platform.httpUrl}/console/assets/${file}`, { headers: { "accept-encoding": "br" } });
      await response.arrayBuffer();
      const bytes = Number(response.headers.get("content-length"));
      largest.set(nameOf(file), Math.max(largest.get(nameOf(file)) ?? 0, bytes));
    }
    return largest;
  }

  const nameOf = (file: string): string => file.replace(/-[\w-]{8}\.js$/, "");

  test(`loads at most ${maxScriptBytes / 1000} kB of JavaScript in every language`, async (context: TestContext) => {
    const [name = "", value = ""] = (await platform.login("admin")).split("=");
    const loads: (readonly [string, readonly string[]])[] = [];
    const firsts = views.filter(({ open, hasEveryInput }) => !open && !hasEveryInput);
    const logins = Object.keys(elsewhere).map((route): View => ({ route, ready: (page) => page.getByRole("heading") }));
    for (const { route, path = route, ready } of [...firsts, ...logins]) {
      const fresh = await ConsolePage.open(console.browser, platform);
      await fresh.context.addCookies([{ name, value, url: platform.httpUrl }]);
      // Without Kratos, the platform has another page there.
      if (route in elsewhere) await fresh.page.route(platform.httpUrl + route, fulfillWithShell);
      await fresh.visit(path);
      await ready(fresh.page).first().waitFor();
      const loaded = await fresh.page.evaluate<readonly string[]>(
        "performance.getEntriesByType('resource').map(({ name }) => name)",
      );
      const files = loaded.flatMap((url) => /\/console\/assets\/([^?]*\.js)/.exec(url)?.[1] ?? []);
      loads.push([path, [...new Set(files.map(nameOf))]]);
      await fresh.close();
    }
    const largest = await largestScripts(new Set(loads.flatMap(([, names]) => names)));
    const sizes = loads.map(([path, names]) => [path, names.reduce((sum, name) => sum + (largest.get(name) ?? 0), 0)] as const);
    const sorted = sizes.toSorted(([, a], [, b]) => b - a);
    const figures = sorted.map(([path, bytes]) => `${path}: ${(bytes / 1000).toFixed(0)} kB`);
    for (const line of figures) context.diagnostic(line);
    await storeText("first-load", figures.join("\n"));
    assert.ok(sorted.every(([, bytes]) => bytes > 0));
    assert.deepEqual(
      sorted.filter(([, bytes]) => bytes > maxScriptBytes),
      [],
    );
  });
});
