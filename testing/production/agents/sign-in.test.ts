import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform } from "@appserver/testing/kit";
import { StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { ensurePythonWith } from "../../../tools/services/python-packages.ts";
import { Agent } from "../../contract/agent.ts";
import { command } from "../../contract/commands.ts";
import { ConsolePage } from "../e2e/console/console-page.ts";
import { withoutChromium } from "../e2e/launch-chromium.ts";
import { SignIn } from "./sign-in.ts";

const requirements = join(import.meta.dirname, "python/requirements.txt");
const python = await ensurePythonWith(requirements);

/** Within this time a tool has gone from the list of an agent whose person may not call it any more. */
const goneMs = 2_000;

/** docs/interface/mcp.md#consent, by the programs of others and a browser. */
describe("agents sign in through a browser", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let browser: ConsolePage;
  let callbacks: Server;
  const answers: URL[] = [];
  before(async () => {
    platform = await startPlatform();
    callbacks = createServer((request, response) => {
      answers.push(new URL(request.url ?? "/", "http://127.0.0.1"));
      response.end("ok");
    });
    await new Promise<void>((resolve) => callbacks.listen(0, "127.0.0.1", resolve));
    browser = await ConsolePage.launch(platform);
    await browser.visit("/console");
    await browser.signIn("Bob Guest");
  });
  after(async () => {
    await browser?.quit();
    callbacks?.close();
    await platform?.stop();
  });

  /** Allows what a program asks on the page to which it has sent the browser. */
  async function allow(address: string, program: string): Promise<void> {
    await browser.page.goto(address);
    await browser.page.getByRole("heading", { name: `Let ${program} act as Bob Guest?` }).waitFor();
    await browser.page.getByLabel("Read and change what you may change").check();
    await browser.page.getByRole("button", { name: "Allow", exact: true }).click();
    await browser.page.waitForURL(/\/callback\?/);
  }
  const change = (name: "grantAccess" | "revokeAccess") => command(platform, `${name}(${tupleOf(platform)}) { user }`);

  test("the package in TypeScript: lists, calls, loses a right, and is shown in the console", async () => {
    const signIn = new SignIn("Agent in TypeScript", `http://127.0.0.1:${(callbacks.address() as AddressInfo).port}/callback`);
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", platform.httpUrl), { authProvider: signIn });
    await assert.rejects(Agent.over(transport, "auto"), UnauthorizedError);
    await allow(signIn.authorizationUrl?.href ?? "", "Agent in TypeScript");
    await transport.finishAuth((await eventually(() => answers.at(-1), Boolean))?.searchParams ?? new URLSearchParams());
    const agent = await Agent.signedIn(platform, signIn);
    const names = async () => (await agent.tools()).map(({ name }) => name);
    assert.ok(!(await names()).includes("apps"));
    await change("grantAccess");
    await eventually(async () => (await names()).includes("apps"));
    await agent.call("apps", {});
    const [notified, taken] = [agent.changes, performance.now()];
    await change("revokeAccess");
    await eventually(() => agent.changes > notified);
    assert.ok(!(await names()).includes("apps"));
    assert.ok(performance.now() - taken < goneMs, `gone after ${performance.now() - taken} ms`);
    await browser.visit("/console");
    await browser.click("User: Bob Guest");
    await browser.page.getByRole("menuitem", { name: "Agents" }).click();
    await browser.page.getByRole("heading", { name: "Agent in TypeScript" }).waitFor();
    await browser.lookAt("agents");
    await browser.click("Take back from Agent in TypeScript");
    await browser.click("Take back", browser.dialog);
    await browser.page.getByText("No program acts for you").waitFor();
    await eventually(async () => (await agent.tools().catch(() => undefined)) === undefined);
    await agent.close();
  });

  test("the package in Python", { skip: "unavailable" in python && python.unavailable }, async () => {
    if ("unavailable" in python) return;
    const program = spawn(python.path, [join(import.meta.dirname, "python/agent.py"), `${platform.httpUrl}/mcp`], {
      env: { ...process.env, PYTHONPATH: python.packages },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const facts = new Facts(program);
      await allow(String((await facts.next("open"))["open"]), "Agent in Python");
      assert.ok(!toolsOf(await facts.next("tools")).includes("apps"));
      assert.match(String((await facts.next("result"))["result"]), /Bob Guest/);
      await change("grantAccess");
      while (!toolsOf(await facts.next("tools")).includes("apps"));
      const taken = performance.now();
      await change("revokeAccess");
      while (toolsOf(await facts.next("tools")).includes("apps"));
      assert.ok(performance.now() - taken < goneMs, `gone after ${performance.now() - taken} ms`);
    } finally {
      program.kill();
    }
  });
});

/** Gives Bob `app:view`. */
function tupleOf(platform: PlatformUnderTest): string {
  return `user: "user:${platform.userId("bob")}", relation: "holder", object: "permission_scope:view_app"`;
}

type Fact = Readonly<Record<string, unknown>>;

/** What the program in Python prints. */
class Facts {
  readonly #lines: AsyncIterator<string>;

  constructor({ stdout }: ChildProcessByStdio<null, Readable, null>) {
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async next(name: string): Promise<Fact> {
    const { value, done } = await this.#lines.next();
    assert.ok(!done, "the program has ended");
    const fact = JSON.parse(value) as Fact;
    assert.ok(name in fact, value);
    return fact;
  }
}

function toolsOf(fact: Fact): readonly string[] {
  return fact["tools"] as readonly string[];
}
