import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { testApp } from "@appserver/testing/kit";
import type { Browser } from "playwright-core";
import { launchChromium, withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { formsApp, formsManifest } from "./forms-app.ts";
import { type OutagePlatform, type Stoppable, startOutagePlatform } from "./outage-platform.ts";
import { SettingsPage } from "./settings-page.ts";

const started = withoutChromium ? { unavailable: withoutChromium } : await startOutagePlatform();

/** The pages that are open while a server is stopped, each in a browser of its own. */
const pages = {
  overview: { path: "/console", heading: "Overview" },
  settings: { path: `/console/apps/${formsApp}/settings`, heading: "Forms" },
  apps: { path: "/console/apps", heading: "Apps" },
  audit: { path: "/console/audit", heading: "Audit log" },
  events: { path: "/console/events", heading: "Events" },
} as const;
type PageName = keyof typeof pages;
const names = Object.keys(pages) as readonly PageName[];

describe("the console while a server behind the platform is stopped", {
  skip: "unavailable" in started && started.unavailable,
}, () => {
  const platform = started as OutagePlatform;
  let browser: Browser;
  let open: Readonly<Record<PageName, ConsolePage>>;
  let settings: SettingsPage;
  let typed = 0;
  let late = 0;
  before(async () => {
    browser = await launchChromium();
    await platform.group.register(platform.group.server(0), await formsManifest());
    open = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await signedIn(pages[name].path)] as const)),
    ) as Record<PageName, ConsolePage>;
    settings = new SettingsPage(open.settings);
  });
  after(async () => {
    await browser?.close();
    await platform.stop();
  });
  beforeEach(async () => {
    for (const name of names) {
      await heading(name);
      await open[name].page.evaluate("window.isSamePage = true");
    }
    typed += 1;
    await settings.input("a.text").fill(`typed ${typed}`);
    await open.apps.row(formsApp).waitFor();
    await open.audit.page.getByRole("cell", { name: "app.register" }).first().waitFor();
  });

  async function signedIn(path: string): Promise<ConsolePage> {
    const page = await ConsolePage.open(browser, platform.httpUrl);
    await page.context.addCookies([{ ...platform.cookie, url: platform.httpUrl }]);
    await page.visit(path);
    return page;
  }
  const heading = (name: PageName) =>
    open[name].page.getByRole("heading", { level: 1, name: pages[name].heading, exact: true }).waitFor();
  const banner = (page: ConsolePage, missing: string) => page.page.getByText(`Not available: ${missing}`, { exact: true });
  const health = (missing: string, status: "up" | "down") =>
    open.overview.page
      .getByRole("region", { name: "Health" })
      .getByText(status === "up" ? /^All \d+ services respond$/ : new RegExp(`${missing}.* not respond$`))
      .first()
      .waitFor();
  /** Registers an app, as its developer does while the pages are open. */
  const registered = async (): Promise<string> => {
    late += 1;
    const name = `com.example.late-${late}`;
    const api = { base_path: "/", upstream_base_url: "http://127.0.0.1:9" };
    await platform.group.register(platform.group.server(0), await testApp({ name, web_app: { api } }));
    return name;
  };

  async function chooseOutcome(name: string): Promise<void> {
    await open.audit.page.getByRole("combobox", { name: "Outcome" }).click();
    await open.audit.page.getByRole("option", { name }).click();
  }

  /** Kills the server, and starts it again also if the work fails: the next test needs it. */
  async function whileKilled(server: Stoppable, work: () => Promise<void>): Promise<void> {
    await server.kill();
    try {
      await work();
    } finally {
      await server.start();
    }
  }

  /** Every page says what is missing, and has kept its heading and what was typed. */
  async function requireNamed(missing: string): Promise<void> {
    for (const name of names) {
      await banner(open[name], missing).waitFor();
      await heading(name);
    }
    assert.equal(await settings.input("a.text").inputValue(), `typed ${typed}`);
    await health(missing, "down");
  }

  /** No banner is left, no page was loaded again, lists have rows, what was typed can be saved, and changes appear by themselves. */
  async function requireBack(missing: string): Promise<void> {
    for (const name of names) {
      await banner(open[name], missing).waitFor({ state: "detached" });
      await open[name].page.getByText("This could not be loaded").first().waitFor({ state: "detached" });
      assert.equal(await open[name].page.evaluate("window.isSamePage"), true, `${name} was loaded again`);
    }
    await health(missing, "up");
    await open.apps.row(formsApp).waitFor();
    assert.equal(await settings.input("a.text").inputValue(), `typed ${typed}`);
    await settings.saved();
    const added = await registered();
    await open.events.page.getByRole("row").filter({ hasText: added }).first().waitFor();
    await open.apps.row(added).waitFor();
    for (const name of names) {
      await heading(name);
      // The browser itself reports each response that is a refusal.
      open[name].requireQuiet("status of 503");
    }
  }

  test("PostgreSQL: the pages say that the database is missing, and continue when it is back", async () => {
    let fresh: ConsolePage | undefined;
    await whileKilled(platform.postgres, async () => {
      await requireNamed("Database");
      await open.overview.lookAt("outage of the database");
      await open.settings.lookAt("outage of the database, settings");
      // A list that was not read before is not blank either, and a new browser says what it waits for.
      await chooseOutcome("success");
      await open.audit.page.waitForURL(/outcome=success/);
      await heading("audit");
      await banner(open.audit, "Database").waitFor();
      fresh = await signedIn("/console/audit");
      await fresh.text("Not available: Database");
    });
    for (const each of [open.audit, fresh]) await each?.page.getByRole("cell", { name: "app.register" }).first().waitFor();
    await fresh?.close();
    await requireBack("Database");
  });

  test("RabbitMQ: the pages say that the message broker is missing, everything works, and live events arrive afterwards", async () => {
    let added = "";
    await whileKilled(platform.rabbitmq, async () => {
      await requireNamed("Message broker");
      added = await registered();
      await settings.saved();
      typed += 1;
      await settings.input("a.text").fill(`typed ${typed}`);
      await open.apps.page.getByLabel("Search").fill(added);
      await open.apps.row(added).waitFor();
      await open.apps.page.getByLabel("Search").fill("");
    });
    await open.events.page.getByRole("row").filter({ hasText: added }).first().waitFor();
    await requireBack("Message broker");
  });

  test("OpenFGA: the pages say that the authorization is missing, and continue when it is back", async () => {
    await whileKilled(platform.openfga, async () => {
      await requireNamed("Authorization");
      await open.overview.lookAt("outage of the authorization");
    });
    await requireBack("Authorization");
  });
});
