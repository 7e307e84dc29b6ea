// `npm run picture`: takes the pictures of the README, home and a trace, in both themes, on a platform of its own.
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { RunningPlatform } from "@appserver/testing/kit";
import { ensureBoardPython } from "../../../tools/services/python-packages.ts";
import { ConsolePage } from "./console/console-page.ts";
import { launchChromium } from "./launch-chromium.ts";

const folder = resolve(import.meta.dirname, "../../../docs/images");
const size = { width: 1280, height: 800 };
const texts = [
  "Release 1.1 goes out on Thursday",
  "Ask the printers for a second quote",
  "Invite the new colleagues to the tour",
  "Water the plants on the third floor",
];

const python = await ensureBoardPython();
if ("unavailable" in python) process.stderr.write(`without the app in Python: ${python.unavailable}\n`);
const platform = await RunningPlatform.start({ flags: ["--with-python"] });
const browser = await launchChromium();
try {
  const cookie = await platform.login("admin");
  const headers = { "content-type": "application/json", cookie };
  let request = "";
  for (const text of texts) {
    const body = JSON.stringify({ text });
    const response = await fetch(`${platform.httpUrl}/api/apps/com.example.notes/notes`, { method: "POST", headers, body });
    request = response.headers.get("x-request-id") ?? "";
  }
  const console = await ConsolePage.open(browser, platform.httpUrl);
  await console.page.setViewportSize(size);
  await console.visit("/");
  await console.signIn("Ada Admin");
  await mkdir(folder, { recursive: true });
  const take = async (name: string): Promise<void> => {
    for (const colorScheme of ["light", "dark"] as const) {
      await console.page.emulateMedia({ colorScheme });
      const path = join(folder, `${name}-${colorScheme}.png`);
      await console.page.screenshot({ path });
      process.stdout.write(`${path}\n`);
    }
  };
  await console.page.getByRole("main").getByRole("link").first().waitFor();
  await take("home");
  // What the request caused is delivered a moment later.
  await console.page.waitForTimeout(2_000);
  await console.visit(`/console/trace/${request}`);
  await console.page.locator(".timeline-row").first().waitFor();
  await take("trace");
} finally {
  await browser.close();
  await platform.stop();
}
