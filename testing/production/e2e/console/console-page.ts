import assert from "node:assert/strict";
import { eventually, type PlatformUnderTest, ProductionPlatform, type TestUser, testUserNames } from "@appserver/testing/kit";
import axe from "axe-core";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { launchChromium } from "../launch-chromium.ts";
import { LoginPage } from "./login-page.ts";
import { sizes, takePictures } from "./pictures.ts";

/** Building the console at its first use, on a busy machine. */
const firstLoadMs = 120_000;
const waitMs = 60_000;
/** The browser reports it when networks of containers appear or disappear on the machine. The console reads again by itself. */
const networkOfMachine = /net::ERR_NETWORK_CHANGED|net::ERR_NETWORK_IO_SUSPENDED/;

interface AxeViolation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** The console in a browser. Collects what must not happen: errors, violations of the content policy and outside requests. */
export class ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong so far. */
  readonly problems: string[] = [];
  lostRequests = false;
  readonly #origin: string;
  /** The platform, if its users sign in with Kratos. */
  readonly #production: ProductionPlatform | undefined;

  private constructor(page: Page, context: BrowserContext, origin: string, production?: ProductionPlatform) {
    this.page = page;
    this.context = context;
    this.#origin = origin;
    this.#production = production;
    page.setDefaultTimeout(waitMs);
    page.on("pageerror", (error) => this.problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      if (networkOfMachine.test(message.text())) this.lostRequests = true;
      else this.problems.push(`${message.text()} ${message.location().url}`.trim());
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !url.startsWith("data:")) this.problems.push(`request to ${url}`);
    });
  }

  /** `at`: the platform, or its address. `address`: the client's, for a server that trusts forwarding headers. */
  static async open(browser: Browser, at: PlatformUnderTest | string, address?: string): Promise<ConsolePage> {
    const context = await browser.newContext({
      colorScheme: "light",
      reducedMotion: "reduce",
      ...(address !== undefined && { extraHTTPHeaders: { "x-forwarded-for": address } }),
    });
    const origin = typeof at === "string" ? at : at.httpUrl;
    return new ConsolePage(await context.newPage(), context, origin, at instanceof ProductionPlatform ? at : undefined);
  }

  /** Opens a browser of its own for the page. `quit` ends it. */
  static async launch(at: PlatformUnderTest | string): Promise<ConsolePage> {
    return await ConsolePage.open(await launchChromium(), at);
  }

  /** For further pages: `open` gives each a context of its own. */
  get browser(): Browser {
    const browser = this.page.context().browser();
    if (!browser) throw new Error("the page has no browser");
    return browser;
  }

  /** Ends the browser that `launch` opened. */
  async quit(): Promise<void> {
    await this.browser.close();
  }

  async visit(path: string): Promise<void> {
    await this.page.goto(this.#origin + path, { timeout: firstLoadMs });
  }

  /** Signs in as one of `testUserNames` on the page to which the console has led: the development login, or that of Kratos. */
  async signIn(displayName: string): Promise<void> {
    const user = (Object.keys(testUserNames) as TestUser[]).find((each) => testUserNames[each] === displayName);
    if (this.#production && user) await new LoginPage(this).signIn(this.#production.addresses.accounts[user]);
    else await this.page.getByRole("button", { name: new RegExp(displayName) }).click({ timeout: firstLoadMs });
    await this.page.getByRole("button", { name: `User: ${displayName}` }).waitFor();
    if (this.#production) this.#forgetRefusals();
  }

  /** The browser reports what the login asks Kratos for: a session that is not there, and offers that are switched off. */
  #forgetRefusals(): void {
    const others = this.problems.splice(0).filter((problem) => !/status of 40[01] /.test(problem));
    this.problems.push(...others);
  }

  async signOut(): Promise<void> {
    await this.page.getByRole("button", { name: /^User: / }).click();
    await this.page.getByRole("menuitem", { name: "Sign out" }).click();
  }

  /** A row of the list of apps. */
  row(name: string): Locator {
    return this.page.getByRole("row").filter({ hasText: name });
  }

  /** Clicks a button of the page, or of a dialog. */
  async click(name: string | RegExp, within: Locator | Page = this.page): Promise<void> {
    await within.getByRole("button", { name, exact: true }).click();
  }

  get dialog(): Locator {
    return this.page.getByRole("dialog");
  }

  /** The state next to the name of the app whose page is open. */
  state(text: string): Locator {
    return this.page.locator("main").getByText(text, { exact: true }).first();
  }

  async text(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /**
   * Fails if axe finds something serious or critical on the page in either theme. Takes pictures of it if they are wanted. Does nothing
   * on production drivers, where the pages are the same.
   */
  async requireAccessible(what: string): Promise<void> {
    if (this.#production) return;
    await this.#runAxe(what);
    await takePictures(this.page, what);
  }

  /** {@link requireAccessible} at the width of a desktop and of a phone, where no page may be wider than the screen. */
  async lookAt(what: string): Promise<void> {
    if (this.#production) return;
    const before = this.page.viewportSize();
    for (const size of sizes) {
      await this.page.setViewportSize(size);
      await this.#runAxe(`${what} at ${size.width} px`);
      const width = await this.page.evaluate<number>("document.scrollingElement.scrollWidth");
      assert.ok(width <= size.width, `${what} is ${width} px wide at ${size.width} px`);
    }
    await takePictures(this.page, what);
    if (before) await this.page.setViewportSize(before);
  }

  async #runAxe(what: string): Promise<void> {
    // A dialog gets the id of its title a moment after it opens.
    const unnamed =
      "[...document.querySelectorAll('[role=dialog]')].filter((each) => !each.ariaLabelledByElements?.length && !each.ariaLabel).length";
    await eventually(
      () => this.page.evaluate<number>(unnamed),
      (count) => count === 0,
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.evaluate(axe.source);
      const violations = await this.page.evaluate<readonly AxeViolation[]>("axe.run().then(({ violations }) => violations)");
      const serious = violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${what}, ${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      assert.deepEqual(serious, []);
    }
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  /** Fails if something went wrong in the page since the last call. Problems that contain one of the expected texts do not count. */
  requireQuiet(...expected: readonly string[]): void {
    const problems = this.problems.splice(0).filter((problem) => !expected.some((text) => problem.includes(text)));
    assert.deepEqual(problems, []);
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
