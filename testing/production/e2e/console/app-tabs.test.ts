import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform, testApp } from "@appserver/testing/kit";
import { command, dataOf, purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { enteredValues, formsApp, formsManifest } from "./forms-app.ts";
import { SettingsPage } from "./settings-page.ts";

const described = "com.example.described";

interface Settings {
  readonly values: Readonly<Record<string, unknown>>;
  readonly secretsSet: readonly string[];
  readonly version: number;
}

describe("the tabs of an app in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let console: ConsolePage;
  before(async () => {
    platform = await startPlatform();
    console = await ConsolePage.launch(platform);
    await console.visit("/console");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    for (const verb of ["view_app", "read_settings"])
      if (platform) await command(platform, `revokeAccess(${bobHolds(verb)}) { user }`);
    for (const name of [formsApp, described]) await purgeApp(platform, name);
    await platform?.stop();
  });

  const bobHolds = (verb: string): string =>
    `user: "user:${platform.userId("bob")}", relation: "holder", object: "permission_scope:${verb}"`;

  describe("settings", () => {
    let form: SettingsPage;
    let appId: string;
    before(async () => {
      form = new SettingsPage(console);
      await platform.register(await formsManifest());
      appId = (await dataOf<{ app: { id: string } }>(platform, `{ app(name: "${formsApp}") { id } }`)).app.id;
    });

    const stored = async () => {
      const query = "query ($appId: ID!) { settings(appID: $appId) { values secretsSet version } }";
      return (await dataOf<{ settings: Settings }>(platform, query, { appId })).settings;
    };
    /** Another user changes settings. */
    const change = (settings: object) => {
      const mutation =
        "mutation ($appId: ID!, $settings: JSON!) { updateSettings(appID: $appId, settings: $settings) { success } }";
      return dataOf(platform, mutation, { appId, settings });
    };

    test("a setting of every type is entered, saved, and read again", async () => {
      await form.visit(formsApp);
      await console.requireAccessible("the settings");
      await form.input("a.text").fill("abc");
      await form.input("a.required").fill("A title");
      await form.input("a.area").fill("two\nlines");
      await form.input("a.secret").fill("c4nary-secret");
      await form.input("a.date").fill("2026-02-28");
      await form.choose("a.stage", "test");
      await form.setting("a.size").getByLabel("large").check();
      await form.input("a.slug").fill("slug");
      await form.input("b.int").fill("41");
      await form.input("b.int").press("ArrowUp");
      await form.input("b.int_required").fill("-7");
      await form.setting("b.float").getByRole("slider").press("ArrowRight");
      assert.equal(await form.input("b.float").inputValue(), "0.6");
      await form.input("b.float_required").fill("2.5e-3");
      await form.setting("c.flag").getByRole("checkbox").check();
      await form.setting("c.flag_required").getByRole("checkbox").uncheck();
      await form.input("d.json").fill('{"deep":[1,null]}');
      await console.click("Format", form.setting("d.json"));
      await form.input("d.json_required").fill('"text"');
      for (const [index, word] of ["one", "gone", "two"].entries()) {
        await console.click("Add an element", form.setting("e.words"));
        await form.input("e.words", `e.words, element ${index + 1}`).fill(word);
      }
      await console.click("Remove element 2 of e.words");
      await form.choose("e.days", "wed");
      await console.page.keyboard.press("Escape");
      await console.click("Add an element", form.setting("e.ints"));
      await form.input("e.ints", "e.ints, element 1").fill("9");
      await console.click("Add an element", form.setting("e.floats"));
      await form.input("e.floats", "e.floats, element 1").fill("1.25");
      await console.click("Add an element", form.setting("e.flags"));
      await console.click("Add a pair", form.setting("f.pairs"));
      await form.input("f.pairs", "f.pairs, key 1").fill("k");
      await form.input("f.pairs", "f.pairs, value 1").fill("[1]");
      await console.requireAccessible("edited settings");
      await form.saved();
      const { values, secretsSet } = await stored();
      assert.deepEqual(values, enteredValues);
      assert.deepEqual(secretsSet, ["a.secret"]);
      await console.page.reload();
      await form.setting("a.text").getByText("Stored", { exact: true }).waitFor();
      assert.equal(await form.input("a.area").inputValue(), "two\nlines");
      console.requireQuiet();
    });

    test("a secret is never shown, not even to users who may read it", async () => {
      await form.visit(formsApp);
      await form.setting("a.secret").getByText("Stored", { exact: true }).waitFor();
      assert.equal(await form.input("a.secret").inputValue(), "");
      assert.equal(await form.input("a.secret").getAttribute("placeholder"), "Set. Type to replace it");
      assert.ok(!(await console.page.content()).includes("c4nary"));
      await console.click("Remove the secret of a.secret");
      await form.saved();
      assert.deepEqual((await stored()).secretsSet, []);
      console.requireQuiet();
    });

    test("a stored value is marked, also if it is equal to the default, and the default can be restored", async () => {
      await change({ "b.int": 20, "b.int_required": null });
      await form.visit(formsApp);
      await form.setting("b.int").getByText("Stored", { exact: true }).waitFor();
      await form.setting("b.int_required").getByText("Default", { exact: true }).waitFor();
      await form.setting("docker.image.stage").getByText("Not set", { exact: true }).waitFor();
      await console.click("Use the default of b.int");
      await form.saved();
      await form.setting("b.int").getByText("Default", { exact: true }).waitFor();
      console.requireQuiet();
    });

    test("values are checked by the rules of the server before they are sent", async () => {
      await form.visit(formsApp);
      const before = (await stored()).version;
      for (const [key, value, problem] of [
        ["a.text", "eleven chars", "must have at most 10 characters"],
        ["a.slug", "UPPER", "must match ^[a-z]+$"],
        ["b.int", "101", "must be at most 100"],
        ["b.int_required", "1.5", "must be an integer"],
        ["b.float", "x", "must be a number"],
        ["d.json", "{", /is not JSON/],
      ] as const) {
        await form.input(key).fill(value);
        await form.input(key).blur();
        await form.setting(key).getByText(problem).first().waitFor();
      }
      await form.save();
      const focused = () => console.page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""');
      await eventually(focused, (name) => name === "a.text");
      assert.equal(await form.input("b.float").inputValue(), "x");
      assert.equal((await stored()).version, before);
      await console.requireAccessible("settings with problems");
      await console.click("Discard");
      assert.equal(await form.input("a.text").inputValue(), "abc");
      console.requireQuiet();
    });

    test("violations that only the server finds are shown at their fields, and nothing typed is lost", async () => {
      await form.visit(formsApp);
      const long = JSON.stringify("x".repeat(20_000));
      await form.input("d.json").fill(long);
      await form.input("a.text").fill("kept");
      await form.save();
      await form
        .setting("d.json")
        .getByText(/must have at most 16384 bytes/)
        .first()
        .waitFor();
      assert.equal(await form.input("d.json").inputValue(), long);
      assert.equal(await form.input("a.text").inputValue(), "kept");
      await console.click("Undo the change of d.json");
      await form.saved();
      assert.equal((await stored()).values["a.text"], "kept");
      console.requireQuiet();
    });

    test("changes by others are merged, and a conflict is explained and decided", async () => {
      await form.visit(formsApp);
      await form.input("a.text").fill("mine");
      await form.input("a.area").fill("mine too");
      await form.input("a.slug").fill("mine");
      await change({ "a.text": "theirs", "a.area": "theirs too", "b.float": 0.25 });
      await form.save();
      await console.text("The settings were changed while you edited them");
      await console.text("Shown as they are stored now: b.float.");
      await console.requireAccessible("a conflict");
      assert.equal(await form.input("b.float").inputValue(), "0.25");
      assert.ok(await console.page.getByRole("button", { name: "Save", exact: true }).isDisabled());
      const conflict = (key: string) => console.page.getByRole("group", { name: `Conflict of ${key}` });
      assert.ok(await conflict("a.text").getByText('"theirs"').isVisible());
      await console.click("Keep mine", conflict("a.text"));
      await console.click("Use the stored value", conflict("a.area"));
      await form.saved();
      const { values } = await stored();
      assert.deepEqual(
        [values["a.text"], values["a.area"], values["a.slug"], values["b.float"]],
        ["mine", "theirs too", "mine", 0.25],
      );
      console.requireQuiet();
    });

    test("what was typed stays when the platform does not respond, and leaving asks first", async () => {
      await form.visit(formsApp);
      await form.input("a.text").fill("offline");
      await console.context.setOffline(true);
      await form.save();
      await console.text("What you typed is kept.");
      await console.context.setOffline(false);
      await console.page.getByText("The connection to the platform is lost").waitFor({ state: "detached" });
      assert.equal(await form.input("a.text").inputValue(), "offline");
      await console.page.getByRole("tab", { name: "Permissions" }).click();
      await console.dialog.getByText("Leave without saving?").waitFor();
      await console.requireAccessible("the question before leaving");
      await console.click("Cancel", console.dialog);
      await form.saved();
      assert.equal((await stored()).values["a.text"], "offline");
      // The browser itself reports the requests that failed.
      console.problems.length = 0;
    });

    test("the search stays in the URL, and all values are removed after a confirmation", async () => {
      await form.visit(formsApp);
      await console.page.getByLabel("Search").fill("a.te");
      await form.setting("b.int").waitFor({ state: "detached" });
      assert.match(console.page.url(), /search=a\.te/);
      await console.click("Remove all values");
      await console.click("Remove", console.dialog);
      await form.setting("a.text").getByText("Not set", { exact: true }).waitFor();
      assert.deepEqual((await stored()).values["a.text"], undefined);
      console.requireQuiet();
    });
  });

  describe("logs", () => {
    const app = "com.example.clock";
    const lines = () => console.page.getByRole("region", { name: `Log of ${app}` });
    const starts = () => lines().getByText(`${app} listens on port`);

    test("the log is followed over restarts, searched, paused and downloaded", async () => {
      await console.visit(`/console/apps/${app}/logs`);
      await starts().first().waitFor();
      await console.requireAccessible("the log");
      const before = await starts().count();
      await console.click("Restart");
      await eventually(async () => (await starts().count()) === before + 1, undefined, { timeoutMs: 60_000 });

      await console.page.getByLabel("Search").fill("LISTENS on");
      await lines().locator("mark").first().waitFor();
      assert.match(console.page.url(), /search=LISTENS/);
      await console.page.getByLabel("Search").fill("no line has this");
      await lines().locator("mark").first().waitFor({ state: "detached" });
      await console.page.getByLabel("Search").fill("");
      await starts().first().waitFor();

      await console.click("Pause");
      const paused = await starts().count();
      await command(platform, `restartApp(name: "${app}") { success }`);
      await console.page.getByText(/paused, [1-9]\d* new/).waitFor();
      assert.equal(await starts().count(), paused);
      await console.click("Resume");
      await eventually(async () => (await starts().count()) === paused + 1);

      const [file] = await Promise.all([console.page.waitForEvent("download"), console.click("Download")]);
      assert.equal(file.suggestedFilename(), `${app}.log`);
      const text = await readFile(await file.path(), "utf8");
      assert.match(text, new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\S+ stdout ${app} listens on port`, "m"));
      console.requireQuiet();
    });

    test("an app without a container has no log, until it has one", async () => {
      await command(platform, `setAppEnabled(name: "${app}", enabled: false) { success }`);
      await console.visit(`/console/apps/${app}/logs`);
      await console.text("The app has no log now");
      await console.requireAccessible("no log");
      await command(platform, `setAppEnabled(name: "${app}", enabled: true) { success }`);
      await starts().first().waitFor();
      console.requireQuiet();
    });

    test("after an interruption every line is shown once", async () => {
      await console.page.addInitScript(`
        window.sockets = [];
        window.WebSocket = class extends WebSocket {
          constructor(...of) { super(...of); window.sockets.push(this); }
        };`);
      await console.visit(`/console/apps/${app}/logs`);
      await starts().first().waitFor();
      const before = await starts().count();
      await console.page.evaluate("sockets.at(-1).close(4000)");
      const isBack = () => console.page.evaluate<boolean>("sockets.length > 1 && sockets.at(-1).readyState === 1");
      await eventually(isBack, undefined, { timeoutMs: 30_000 });
      await console.click("Restart");
      await eventually(async () => (await starts().count()) > before, undefined, { timeoutMs: 60_000 });
      assert.equal(await starts().count(), before + 1);
      console.requireQuiet();
    });
  });

  describe("routes", () => {
    const app = "com.example.notes";
    const row = (pattern: string) =>
      console.page.getByRole("row").filter({ has: console.page.getByText(pattern, { exact: true }) });

    test("each route has its methods, scopes, limits and timeout, and the requests of the last hour", async () => {
      for (let count = 0; count < 7; count += 1) await fetch(`${platform.httpUrl}/api/apps/${app}/limited`);
      await fetch(`${platform.httpUrl}/api/apps/${app}/no/such/route`);
      await console.visit(`/console/apps/${app}/routes`);
      await console.text("http://app-com.example.notes:3000");
      await console.page.getByText("Closed", { exact: true }).waitFor();
      const limited = await row("/limited").textContent();
      assert.match(limited ?? "", /^GET\/limitedpublic10 s5 per minute, for each /);
      assert.match((await row("/notes").filter({ hasText: "POST" }).textContent()) ?? "", /notes:write10 snone/);
      // The server stores its counts every 10 s, and the page reads them as often.
      await row("/limited")
        .getByText(/of them limited/)
        .waitFor();
      assert.match((await row("/limited").textContent()) ?? "", /\d+[1-9]\d* refused.*\d ms\d.* msTry it$/);
      await console.page.getByText(/requests of the last hour matched no route/).waitFor();
      await console.requireAccessible("the routes");
      await console.page.getByLabel("Search").fill("reports");
      await row("/limited").waitFor({ state: "detached" });
      assert.match(console.page.url(), /search=reports/);
      console.requireQuiet();
    });

    test("an API description is linked and not fetched", async () => {
      const openapi_url = "https://docs.example.com/openapi.json";
      const api = { base_path: `/api/apps/${described}`, upstream_base_url: "http://127.0.0.1:9", openapi_url };
      await platform.register(await testApp({ name: described, web_app: { api } }));
      await console.visit(`/console/apps/${described}/routes`);
      const link = console.page.getByRole("link", { name: openapi_url });
      assert.equal(await link.getAttribute("href"), openapi_url);
      assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
      await console.text("No routes");
      console.requireQuiet();
    });
  });

  test("the overview unfolds to the files of the frontend, each with its size, hash and signature", async () => {
    const app = "com.example.notes";
    const query = `{ app(name: "${app}") { assets { name size sha256 url } } }`;
    type Assets = { readonly name: string; readonly sha256: string; readonly url: string }[];
    const { assets } = (await dataOf<{ app: { assets: Assets } }>(platform, query)).app;
    const entry = assets.find(({ name }) => name === "remoteEntry.js");
    assert.ok(entry);
    await console.visit(`/console/apps/${app}`);
    const files = console.page.getByRole("region", { name: "Files of the frontend" });
    await files.getByText("Files of the frontend").click();
    await files.getByText(new RegExp(`^${assets.length} files?,`)).waitFor();
    const row = files.getByRole("row").filter({ hasText: "remoteEntry.js" });
    const text = (await row.textContent()) ?? "";
    assert.ok(text.includes(entry.sha256) && text.includes("RSA-PKCS1-SHA256") && text.includes("Entry"), text);
    const href = await row.getByRole("link").getAttribute("href");
    assert.equal(href, entry.url);
    assert.equal((await console.page.request.get(platform.httpUrl + href)).status(), 200);
    console.requireQuiet();
  });

  test("the tabs lead to each page", async () => {
    await console.visit("/console/apps/com.example.notes");
    for (const tab of ["Settings", "Permissions", "Routes", "Logs", "Hooks", "Runs", "Events", "Backups"]) {
      await console.page.getByRole("tab", { name: tab }).click();
      await console.page.waitForURL(`**/console/apps/com.example.notes/${tab.toLowerCase()}`);
    }
    console.requireQuiet();
  });

  test("each page says which permission is missing, and settings that may only be read cannot be changed", async () => {
    const grant = (verb: string) => command(platform, `grantAccess(${bobHolds(verb)}) { user }`);
    await grant("view_app");
    await console.visit("/console/apps/com.example.notes");
    await console.signOut();
    await console.signIn("Bob Guest");
    await console.visit("/console/apps/com.example.notes");
    await console.page.getByRole("tab", { name: "Routes" }).click();
    await console.text("metrics:view");
    assert.deepEqual(await console.page.getByRole("tab").allTextContents(), ["Overview", "Permissions", "Routes", "Backups"]);
    await console.visit("/console/apps/com.example.notes/logs");
    await console.text("app:logs");
    await console.visit("/console/apps/com.example.notes/settings");
    await console.text("settings:read");
    await grant("read_settings");
    await console.visit("/console/apps/com.example.notes/settings");
    await console.text("settings:write");
    await console.page.locator('input[aria-label="notes.page_size"]:disabled').waitFor();
    assert.equal(await console.page.getByRole("button", { name: "Save", exact: true }).count(), 0);
    await console.requireAccessible("settings that may only be read");
    console.requireQuiet();
  });
});
