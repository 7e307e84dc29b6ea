import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, startPlatform, uniqueName } from "@appserver/testing/kit";
import type { Locator } from "playwright-core";
import { command } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { searchedAs } from "./searched-as.ts";

const notes = "com.example.notes";
const robot = uniqueName("ci");
const viewerTuple = `user: "role:readers#assignee", relation: "viewer", object: "app:${notes}"`;

describe("access in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  /** The console of a user without permissions, in a browser of its own. */
  let guest: ConsolePage;
  let bob: string;
  before(async () => {
    platform = await startPlatform();
    bob = platform.userId("bob");
    console = await ConsolePage.launch(platform);
    guest = await ConsolePage.open(console.browser, platform);
    await console.visit("/console/access");
    await console.signIn("Ada Admin");
    await guest.visit("/console");
    await guest.signIn("Bob Guest");
  });
  after(async () => {
    await console?.quit();
    // Other files use the platform, too.
    if (bob)
      await command(platform, `revokeAccess(user: "user:${bob}", relation: "assignee", object: "role:readers") { user }`);
    await platform?.stop();
  });
  const tab = (name: string) => console.page.getByRole("tab", { name, exact: true }).click();
  const field = (label: string): Locator => console.dialog.getByRole("combobox", { name: label, exact: true });
  const row = (text: string): Locator => console.page.getByRole("row").filter({ hasText: text });
  const section = (name: string): Locator => console.page.getByRole("region", { name, exact: true });
  const menu = (name: string): Locator =>
    guest.page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name, exact: true });

  async function chooseBob(): Promise<void> {
    await field("Who").fill(searchedAs(platform, "bob"));
    await console.page
      .getByRole("option", { name: `user:${bob}` })
      .filter({ hasText: "Bob Guest" })
      .click();
  }
  async function granted(): Promise<void> {
    await console.click("Grant", console.dialog);
    await console.dialog.waitFor({ state: "detached" });
  }
  async function revoke(what: string, from: string): Promise<void> {
    await console.click(`Revoke ${what} from ${from}`);
    await console.click("Revoke", console.dialog);
    await console.dialog.waitFor({ state: "detached" });
  }

  test("finds a person, and says that nothing is granted", async () => {
    await console.page.getByRole("list", { name: "People" }).waitFor();
    await console.lookAt("access");
    await console.page.getByLabel("Find a person").fill(searchedAs(platform, "bob"));
    await console.page.locator(`a[href*="${bob}"]`).filter({ hasText: "Bob Guest" }).click();
    await console.page.waitForURL(
      ({ searchParams }) =>
        searchParams.get("subject") === `user:${bob}` && searchParams.get("search") === searchedAs(platform, "bob"),
    );
    await console.text("Nothing is granted to Bob Guest directly");
    await console.page.getByLabel("Find a person").fill("nemo");
    await console.text("No person matches");
    console.requireQuiet();
  });

  test("a grant changes the menu of its user without a reload, and explains itself", async () => {
    await guest.page.evaluate("window.unloaded = false");
    assert.equal(await menu("Apps").count(), 0);
    await console.visit(`/console/access?subject=user:${bob}`);
    await console.click("Grant access");
    await console.dialog.getByTitle(`user:${bob}`).getByText("Bob Guest").waitFor();
    await console.dialog.getByText("Permission", { exact: true }).click();
    await field("Permission").click();
    await console.page.getByRole("option", { name: "app:view", exact: true }).click();
    await console.lookAt("grant a permission");
    await granted();
    await row("app:view").getByText("Granted directly").waitFor();
    await menu("Apps").click();
    await guest.page.getByRole("link", { name: "Clock", exact: true }).first().waitFor();
    assert.equal(await guest.page.evaluate("window.unloaded"), false);
    await console.lookAt("what a person holds");
    console.requireQuiet();
  });

  test("a revocation takes the page and the menu", async () => {
    await revoke("app:view", "Bob Guest");
    await console.text("Nothing is granted to Bob Guest directly");
    await guest.text("You may not see this page");
    await menu("Apps").waitFor({ state: "detached" });
    assert.equal(await guest.page.evaluate("window.unloaded"), false);
    // The browser of the guest reports what the platform refused.
    guest.problems.length = 0;
    console.requireQuiet();
  });

  test("a new role gives its assignees what it holds, with the chain of tuples", async () => {
    await console.visit("/console/access/roles");
    await section("Administrators").getByText("Ada Admin").waitFor();
    await console.click("Grant access");
    await chooseBob();
    await field("Role").fill("readers");
    await granted();
    await section("Role readers").getByText("Bob Guest").waitFor();
    await console.lookAt("roles");
    await command(platform, `grantAccess(${viewerTuple}) { user }`);
    await console.visit(`/console/access?subject=user:${bob}`);
    await row("notes:read").getByText("Role readers → Viewer of Notes").waitFor();
    await row("notes:read").getByText("Details").click();
    await row("notes:read").getByText(`user:${bob} assignee role:readers`).waitFor();
    await menu("Notes").waitFor();
    await console.visit(`/console/access/permissions?app=${notes}&permission=notes:read`);
    await row("Bob Guest").getByText("Role readers → Viewer of Notes").waitFor();
    await console.lookAt("who holds a permission");
    console.requireQuiet();
  });

  test("a service account with its token, which is shown once", async () => {
    await console.visit("/console/access/service-accounts");
    await console.click("New service account");
    await console.dialog.getByRole("textbox", { name: "Name", exact: true }).fill(robot);
    await console.click("Create token", console.dialog);
    const shown = console.dialog.getByLabel("Token", { exact: true });
    assert.match((await shown.textContent()) ?? "", /^asv_[0-9A-Za-z]{36}$/);
    await console.requireAccessible("a new token");
    await console.click("Done", console.dialog);
    await section(robot).getByText("never used").waitFor();
    assert.equal(await console.page.getByText("asv_").count(), 0);
    const conditions =
      'repository: "acme/notes", repositoryId: "123", ref: "refs/heads/main", audience: "https://apps.example.com"';
    await command(platform, `trustPipeline(account: "${robot}", provider: GITHUB, apps: ["${notes}"], ${conditions}) { id }`);
    await console.visit("/console/access/service-accounts");
    await section(robot).getByText(`acme/notes refs/heads/main acts on ${notes}`).waitFor();
    await console.lookAt("service accounts");
    await console.click("Remove trust in acme/notes refs/heads/main");
    await console.click("Remove", console.dialog);
    await section(robot).getByText("acme/notes").first().waitFor({ state: "detached" });
    await console.click(`Delete ${robot}`);
    await console.click("Delete", console.dialog);
    await section(robot).waitFor({ state: "detached" });
    console.requireQuiet();
  });

  test("the last administrator stays, and the refusal says why", async () => {
    await console.visit("/console/access/roles");
    await console.click("Revoke Role Administrators from Ada Admin");
    await console.dialog.getByText("This is your own access.").waitFor();
    await console.click("Revoke", console.dialog);
    await console.dialog.getByText("Ada Admin is the last administrator").waitFor();
    await console.requireAccessible("a refused revocation");
    await console.click("Cancel", console.dialog);
    console.requireQuiet();
  });

  test("the holders of a permission of the platform, kept in the URL", async () => {
    await console.visit("/console/access");
    await tab("Permissions");
    await console.text("Choose a permission");
    await console.page.getByRole("combobox", { name: "Permission" }).click();
    await console.page.getByRole("option", { name: "app:install", exact: true }).click();
    await row("Ada Admin").getByText("Role Administrators → Every permission of the platform").waitFor();
    assert.match(console.page.url(), /permission=app%3Ainstall/);
    console.requireQuiet();
  });

  test("who may use an app is shown, granted and revoked on the page of the app", async () => {
    await console.visit(`/console/apps/${notes}/permissions`);
    const members = section("Who may use the app");
    await members.getByText("Administrators").waitFor();
    await members.getByText("role readers").first().waitFor();
    assert.equal(await members.getByRole("button", { name: /^Revoke Owner .* from Administrators/ }).count(), 0);
    await console.click("Give access");
    await chooseBob();
    await granted();
    await members.getByText("Bob Guest").waitFor();
    await console.lookAt("who may use the app");
    await revoke("Viewer of Notes", "Bob Guest");
    await members.getByText("Bob Guest").waitFor({ state: "detached" });
    console.requireQuiet();
  });
});
