import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildFrontend } from "@appserver/builds/frontend";
import { appserver, completeAccount, UpProcess } from "@appserver/testing/kit/production";
import { removeDataFolder } from "../../../kit/remove-data-folder.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const account = { email: "ada@example.test", name: "Ada", password: "a horse is no battery" };

/** On a platform of one machine: `appserver dev` makes no backups. */
describe("backups in the console", { skip: withoutChromium }, () => {
  let folder = "";
  let key = "";
  let platform: UpProcess;
  let console: ConsolePage;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "appserver-backups-"));
    // If the tests run as root, PostgreSQL runs under another account, which must reach the folder.
    await chmod(folder, 0o755);
    key = join(folder, "passphrase");
    await writeFile(key, "correct horse battery staple\n");
    platform = await UpProcess.create(join(folder, "data"), {
      APPSERVER_CONTAINERS_DRIVER: "process",
      APPSERVER_ALLOW_PROCESSES: "true",
      APPSERVER_BACKUP_TO: `${folder}/backups/`,
      APPSERVER_BACKUP_PASSPHRASE_FILE: key,
      APPSERVER_BACKUP_SCHEDULE: "30 2 1 1 *",
    });
    platform.start();
    await Promise.all([platform.ready(), buildFrontend(resolve(import.meta.dirname, "../../../../apps/console"))]);
    await completeAccount(await platform.administratorLink(), account);
    console = await ConsolePage.launch(platform.httpUrl);
    await console.visit("/console/backups");
    await console.page.getByLabel("E-mail address").fill(account.email);
    await console.page.getByRole("textbox", { name: "Password" }).fill(account.password);
    await console.click("Sign in");
    await console.page.getByRole("heading", { name: "Backups", level: 1 }).waitFor();
    // The browser reports the requests before the login.
    console.problems.length = 0;
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
    await removeDataFolder(join(folder, "data"));
    await rm(folder, { recursive: true, force: true });
  });

  test("a requested backup is followed to its end, and its file was never tested", async () => {
    await console.text(/^No backup was made so far/);
    await console.click("Back up now");
    await console.text("The backup is complete");
    await console.page.getByRole("row", { name: /Completed.*MB.*never.*appserver-/ }).waitFor();
    await console.text("No backup was ever tested");
    await console.lookAt("backups");
    console.requireQuiet();
  });

  test("the test of a restore is shown", async () => {
    const [file = ""] = await readdir(join(folder, "backups"));
    const at = ["--data", platform.dataDir];
    const printed = await appserver(["restore", join(folder, "backups", file), "--test", ...at], {});
    assert.match(printed, /readable +0 apps, 0 secret settings\n(.*\n)*The platform has recorded the test\./);
    assert.match(await appserver(["backup", "list", ...at], {}), /^REQUESTED .*\n\S+ +COMPLETED +\d+ +20\S+ +\S+\.age\n$/);
    await console.page
      .getByRole("region", { name: "Last tested restore" })
      .getByRole("cell", { name: /\.age$/ })
      .waitFor();
    await console.lookAt("backups tested");
    console.requireQuiet();
  });

  test("a backup that fails says why", async () => {
    await rename(key, `${key}.lost`);
    await console.click("Back up now");
    await console.text("The backup failed");
    await console.text(/The key of backups cannot be read/);
    await rename(`${key}.lost`, key);
    console.requireQuiet();
  });
});
