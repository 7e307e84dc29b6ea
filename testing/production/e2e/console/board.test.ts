import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, send, startOwnPlatform, untilStatus } from "@appserver/testing/kit";
import { ensureBoardPython } from "../../../../tools/services/python-packages.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const python = await ensureBoardPython();
const withoutPython = "unavailable" in python && python.unavailable;

describe("the app in Python, in Chromium", { skip: withoutChromium || withoutPython }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    if ("unavailable" in python) return;
    platform = await startOwnPlatform("the app in Python", { flags: ["--with-python"] });
    console = await ConsolePage.launch(platform);
    // Before the server has received the app, nothing leads to the login.
    await untilStatus(platform.httpUrl, "/board", 200);
    await deleteCards();
    await console.visit("/board");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
  });
  /** Notes of other files have cards here. */
  async function deleteCards(): Promise<void> {
    const cards = "/api/apps/com.example.board/cards";
    const headers = { cookie: await platform.login("admin") };
    const { text } = await untilStatus(platform.httpUrl, cards, 200, { headers });
    const found = (JSON.parse(text) as { readonly cards: readonly { readonly id: string }[] }).cards;
    for (const { id } of found) await send(platform.httpUrl, `${cards}/${id}`, { method: "DELETE", headers });
  }
  const page = () => console.page.frameLocator("iframe");
  const column = (title: string) => page().getByRole("list", { name: title });
  const card = (title: string, text: string) => column(title).getByRole("listitem").filter({ hasText: text });

  test("cards are added, moved, edited and deleted by keyboard", async () => {
    const field = page().getByRole("textbox", { name: "New card" });
    await field.fill("Water the plants");
    await field.press("Enter");
    await card("To do", "Water the plants").waitFor();
    assert.equal(await field.inputValue(), "");
    const toProgress = page().getByRole("button", { name: "Move to In progress: Water the plants" });
    await toProgress.press("Enter");
    await card("In progress", "Water the plants").waitFor();
    await page().getByRole("button", { name: "Edit: Water the plants" }).press("Enter");
    await page().getByRole("textbox", { name: "Text of the card" }).fill("Water the garden");
    await page().getByRole("button", { name: "Save" }).press("Enter");
    await card("In progress", "Water the garden").waitFor();
    await page().getByRole("button", { name: "Delete: Water the garden" }).press("Enter");
    await card("In progress", "Water the garden").waitFor({ state: "detached" });
    console.requireQuiet();
  });

  test("a card moves by dragging, and a full column says so", async () => {
    const field = page().getByRole("textbox", { name: "New card" });
    for (const text of ["one", "two", "three", "four", "five", "six"]) {
      await field.fill(text);
      await field.press("Enter");
      await card("To do", text).waitFor();
      if (text === "one") await card("To do", text).dragTo(column("In progress"));
      else
        await page()
          .getByRole("button", { name: `Move to In progress: ${text}` })
          .click();
      if (text !== "six") await card("In progress", text).waitFor();
    }
    await console.text("at most 5 cards may be in progress");
    await card("To do", "six").waitFor();
    // The browser reports the response 409.
    assert.match(console.problems.splice(0).join("\n"), /^Failed to load resource: .*409.*$/);
    await console.requireAccessible("board");
  });
});
