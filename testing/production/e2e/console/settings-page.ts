import type { Locator } from "playwright-core";
import type { ConsolePage } from "./console-page.ts";

/** The settings of an app in the console. */
export class SettingsPage {
  readonly #console: ConsolePage;

  constructor(console: ConsolePage) {
    this.#console = console;
  }

  async visit(app: string): Promise<void> {
    await this.#console.visit(`/console/apps/${app}/settings`);
    await this.#console.page.getByRole("form", { name: "Settings" }).waitFor();
  }

  /** The part of the page for one setting. */
  setting(key: string): Locator {
    return this.#console.page.getByRole("region", { name: key, exact: true });
  }

  /** An input of one setting, by its name. Default: the only one, which has the name of the setting. */
  input(key: string, name: string = key): Locator {
    return this.setting(key).getByLabel(name, { exact: true });
  }

  /** Chooses from a list. */
  async choose(key: string, option: string): Promise<void> {
    await this.setting(key).getByRole("combobox").click();
    await this.#console.page.getByRole("option", { name: option, exact: true }).click();
  }

  async save(): Promise<void> {
    await this.#console.click("Save");
  }

  /** Saves, and waits until nothing is left to save. */
  async saved(): Promise<void> {
    await this.save();
    await this.#console.page.getByText("No changes", { exact: true }).waitFor();
  }
}
