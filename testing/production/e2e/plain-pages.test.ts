import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { RunningPlatform } from "@appserver/testing/kit";
import type { Browser, Page } from "playwright-core";
import { launchChromium, withoutChromium } from "./launch-chromium.ts";
import { requireReadable, viewports } from "./require-readable.ts";

const paths = ["/dev/login", "/api/v2/docs", "/nowhere", "/console/command-line/done"];

describe("pages without an application, on a platform with branding", { skip: withoutChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), "appserver-branding-"));
  let platform: RunningPlatform;
  let browser: Browser;
  before(async () => {
    const logo = join(folder, "logo.svg");
    writeFileSync(
      logo,
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>document.title = "run"</script></svg>',
    );
    const environment = {
      APPSERVER_BRANDING_NAME: "Acme & Söhne",
      APPSERVER_BRANDING_ACCENT: "#2b7a3e",
      APPSERVER_BRANDING_LOGO: logo,
    };
    platform = await RunningPlatform.start({ environment });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await platform?.stop();
    rmSync(folder, { recursive: true });
  });

  const computed = (page: Page, expression: string) => page.evaluate<string>(expression);
  const shownName = (page: Page) =>
    computed(page, "getComputedStyle(document.querySelector('.brand span'), '::before').content");

  test("are readable on desktops and phones in both themes, with the name and a way back", async () => {
    for (const viewport of viewports)
      for (const colorScheme of ["light", "dark"] as const) {
        // Axe is a script, which the policies of these pages refuse.
        const page = await browser.newPage({ viewport, colorScheme, bypassCSP: true });
        for (const path of paths) {
          await page.goto(`${platform.httpUrl}${path}`);
          assert.equal(await shownName(page), '"Acme & Söhne"', path);
          await page.getByRole("banner").locator('a.brand[href="/"]').waitFor();
          await requireReadable(page);
        }
        await page.close();
      }
  });

  test("follow the theme that a person has chosen in the console, which has name and accent, too", async () => {
    const page = await browser.newPage({ colorScheme: "light" });
    const strange: string[] = [];
    page.on("console", (message) => message.type() === "error" && strange.push(message.text()));
    await page.goto(`${platform.httpUrl}/`);
    await page.getByRole("button", { name: "Ada Admin" }).click();
    await page.getByRole("link", { name: "Acme & Söhne, to the home page" }).waitFor();
    assert.match(await page.title(), / · Acme & Söhne$/);
    const accent = await computed(
      page,
      "getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-accent-8')",
    );
    assert.equal(accent, "#2b7a3e");
    const background = "getComputedStyle(document.body).backgroundColor";
    await page.getByRole("button", { name: /^Theme/ }).click();
    await page.getByRole("menuitem", { name: "Dark" }).click();
    await page.goto(`${platform.httpUrl}/api/v2/docs`);
    assert.equal(await computed(page, background), "rgb(23, 25, 28)");
    await page.goto(`${platform.httpUrl}/docs/interface/branding`);
    assert.match(await computed(page, "getComputedStyle(document.documentElement).colorScheme"), /^dark$/);
    assert.deepEqual(strange, []);
    await page.close();
  });

  test("the REST reference filters its routes, and an address leads to one of them", async () => {
    const page = await browser.newPage();
    await page.goto(`${platform.httpUrl}/api/v2/docs`);
    const route = page.locator("summary").filter({ hasText: "/api/v2/access/roles" });
    await page.keyboard.press("/");
    await page.keyboard.type("roles lists");
    await page.locator("summary").filter({ hasText: "/api/v2/backups" }).first().waitFor({ state: "hidden" });
    await route.click();
    await page.getByRole("link", { name: "Link to this route" }).click();
    await page.reload();
    await page.locator("details[open]").filter({ has: route }).getByRole("heading", { name: "Responses" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nothing has these words");
    await page.getByText("No route has these words.").waitFor();
    await page.close();
  });

  test("no script of the logo runs", async () => {
    const page = await browser.newPage();
    await page.goto(`${platform.httpUrl}/branding/logo`);
    assert.notEqual(await page.title(), "run");
    await page.close();
  });
});
