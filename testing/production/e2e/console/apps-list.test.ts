import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import type { Locator } from "playwright-core";
import { dataOf } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { addApps, removeApps } from "./many-apps.ts";
import { storeText } from "./pictures.ts";

const clock = "com.example.clock";
const many = 10_000;
/** Rows in sight on a screen, and those around them. */
const maxRows = 60;

/** Scrolls the list to its end in steps of one frame. Returns the time of each frame in milliseconds. */
const scrollToEnd = `(async () => {
  const list = document.querySelector(".app-rows");
  const frames = [];
  const most = { rows: 0 };
  let last = await new Promise(requestAnimationFrame);
  while (list.scrollTop + list.clientHeight < list.scrollHeight - 1) {
    list.scrollTop += 1600;
    const at = await new Promise(requestAnimationFrame);
    frames.push(at - last);
    last = at;
    most.rows = Math.max(most.rows, list.querySelectorAll("tr").length);
  }
  return { frames, maxRows: most.rows };
})()`;

const scrollToMiddle = `(() => {
  const list = document.querySelector(".app-rows");
  list.scrollTop = list.scrollHeight / 2;
})()`;

/** Resolves with the milliseconds from the next input of a search to its ten results, as the page measures them. */
const untilFound = `new Promise((resolve) => {
  let typedAt;
  document.addEventListener("input", () => (typedAt ??= performance.now()), { once: true });
  new MutationObserver((changes, observer) => {
    if (typedAt === undefined || !/(?:^|\\D)10 apps/.test(document.querySelector("main").textContent)) return;
    observer.disconnect();
    resolve(performance.now() - typedAt);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
})`;

interface Apps {
  readonly apps: { readonly edges: readonly { readonly node: { readonly displayName: string } }[] };
}

describe("the list of apps in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  /** The displayed names of the sample apps. Only the clock has a version above 1.0.0. */
  let samples: readonly string[];
  before(async () => {
    platform = await startPlatform();
    const { apps } = await dataOf<Apps>(platform, "{ apps { edges { node { displayName } } } }");
    samples = apps.edges.map(({ node }) => node.displayName).sort();
    console = await ConsolePage.launch(platform);
    await console.visit("/console/apps");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await removeApps(platform, "org.few", "org.many");
    await platform?.stop();
  });
  const list = (): Locator => console.page.getByRole("region", { name: "List of apps" });
  const names = async (): Promise<readonly string[]> =>
    (await list().locator("td:first-child").getByRole("link").allTextContents()).filter((name) => name !== "");
  /** The URL changes before the rows do. */
  const untilNamesAre = (expected: (names: readonly string[]) => boolean) => eventually(names, expected);
  const isFirst = ([first]: readonly string[]): boolean => first === "Clock";
  const isLast = (all: readonly string[]): boolean => all.at(-1) === "Clock";
  const sortBy = (title: string) => console.click(`Sort by ${title}`);

  test("is sorted by each column, in both directions, and keeps the order in the URL", async () => {
    await console.row(clock).waitFor();
    await console.text(`${samples.length} apps`);
    assert.deepEqual(await names(), samples);
    await sortBy("App");
    await console.page.waitForURL(/order=descending/);
    await untilNamesAre((all) => all.join() === samples.toReversed().join());
    await sortBy("Version");
    await console.page.waitForURL(/by=version/);
    await untilNamesAre(isLast);
    await sortBy("Version");
    await console.page.waitForURL(/by=version&order=descending|order=descending&by=version/);
    await untilNamesAre(isFirst);
    await console.page.reload();
    await console.row(clock).waitFor();
    await untilNamesAre(isFirst);
    const head = console.page.getByRole("columnheader", { name: "Version" });
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    console.requireQuiet();
  });

  test("up to 400 apps are sorted whole, and shown with the version that is available", async () => {
    await addApps(platform, { prefix: "org.few", count: 300, state: "REGISTERED" });
    // Older than what other apps may have.
    await platform.onDatabase((sql) =>
      sql.query("update marketplace.apps set available_version = '0.9.9' where name = 'org.few.n00250'"),
    );
    await console.visit("/console/apps?by=available");
    await console.text(`${300 + samples.length} apps`);
    await list().getByText("0.9.9", { exact: true }).waitFor();
    assert.equal((await names())[0], "App 250");
    await console.visit("/console/apps?by=changed");
    await console.row("org.few.n00300").waitFor();
    assert.equal((await names())[0], "App 300");
    await console.lookAt("apps");
    console.requireQuiet();
  });

  test("10,000 apps are scrolled to the end with few rows in the document", async (context: TestContext) => {
    await addApps(platform, { prefix: "org.many", count: many, state: "REGISTERED" });
    await console.visit("/console/apps?search=org.many");
    await console.text("10,000 apps");
    await console.text("Up to 400 can be sorted");
    const { frames, maxRows: rows } = await console.page.evaluate<{ frames: number[]; maxRows: number }>(scrollToEnd);
    assert.ok(rows <= maxRows, `${rows} rows`);
    await console.row("org.many.n10000").waitFor();
    const sorted = frames.toSorted((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
    const figures = `${frames.length} frames: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; ${rows} rows`;
    context.diagnostic(figures);
    await storeText("many-apps", figures);
    await console.page.evaluate(scrollToMiddle);
    await console.row("org.many.n0500").first().waitFor();
    await console.lookAt("many apps");
    const found = console.page.evaluate<number>(untilFound);
    await console.page.getByLabel("Search").fill("org.many.n0777");
    context.diagnostic(`found after ${Math.round(await found)} ms`);
    await console.row("org.many.n07777").waitFor();
    console.requireQuiet();
  });

  test("10,000 apps are sorted by the platform", async () => {
    await console.visit("/console/apps?search=org.many");
    await console.text("10,000 apps");
    await console.row("org.many.n00001").waitFor();
    await sortBy("App");
    await console.page.waitForURL(/order=descending/);
    await console.row("org.many.n10000").waitFor();
    await sortBy("Changed");
    await console.page.waitForURL(/by=changed/);
    await console.row("org.many.n10000").waitFor();
    assert.equal(await console.page.getByRole("button", { name: "Sort by Version" }).count(), 0);
    console.requireQuiet();
  });

  test("is scrolled by keys, and filtered by state", async () => {
    await console.visit("/console/apps?state=REGISTERED");
    await console.row("org.few.n00001").waitFor();
    await list().focus();
    await console.page.keyboard.press("End");
    await console.row("org.many.n10000").waitFor();
    await console.visit("/console/apps?state=FAILED");
    await console.text("No app matches");
    await console.requireAccessible("no apps");
    console.requireQuiet();
  });
});
