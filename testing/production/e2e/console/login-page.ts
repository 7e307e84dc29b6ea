import type { Page } from "playwright-core";
import type { KratosAccount } from "../../../../tools/services/kratos-accounts.ts";

/** What it needs of a `ConsolePage`. */
interface Shown {
  readonly page: Page;
  /** Whether the browser aborted requests because networks of the machine changed. */
  readonly lostRequests: boolean;
  click(name: string): Promise<void>;
}

/** The pages of Kratos that the console shows. */
export class LoginPage {
  readonly #console: Shown;

  constructor(console: Shown) {
    this.#console = console;
  }

  get #page(): Page {
    return this.#console.page;
  }

  async heading(name: string): Promise<void> {
    const heading = this.#page.getByRole("heading", { name, level: 1 });
    try {
      await heading.waitFor({ timeout: 60_000 });
    } catch (error) {
      const shown = (await this.#page.locator("body").innerText()).slice(0, 500);
      if (!this.#console.lostRequests) throw new Error(`${this.#page.url()} shows ${JSON.stringify(shown)}`, { cause: error });
      // A page whose first script was aborted stays empty.
      await this.#page.reload();
      await heading.waitFor({ timeout: 60_000 });
    }
  }

  async fill(label: string, value: string): Promise<void> {
    await this.#page.getByLabel(label, { exact: true }).fill(value);
  }

  /** Enters address and password, and submits them. */
  async signIn({ email, password }: Pick<KratosAccount, "email" | "password">): Promise<void> {
    await this.heading("Sign in");
    await this.fill("E-mail", email);
    await this.fill("Password", password);
    await this.#console.click("Sign in with password");
  }

  /** A section of the account page. */
  section(name: string) {
    return this.#page.getByRole("region", { name });
  }
}
