import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type NoteIndex,
  type PlatformUnderTest,
  send,
  startNoteIndex,
  startPlatform,
  untilState,
} from "@appserver/testing/kit";
import { command, purgeApp } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";

const notes = "com.example.notes";
const clock = "com.example.clock";
const index = "com.example.index";

describe("traces in the console", { skip: withoutChromium }, () => {
  let platform: PlatformUnderTest;
  let indexing: NoteIndex | undefined;
  let console: ConsolePage;
  let requestId = "";
  before(async () => {
    platform = await startPlatform();
    for (const name of [notes, clock]) await untilState(platform, name, "RUNNING", 120_000);
    indexing = await startNoteIndex(platform, index);
    const answer = await send(platform.httpUrl, `/api/apps/${notes}/notes`, {
      method: "POST",
      headers: { cookie: await platform.login("admin"), "content-type": "application/json" },
      body: JSON.stringify({ text: "followed by its trace" }),
    });
    requestId = String(answer.headers["x-request-id"]);
    console = await ConsolePage.launch(platform);
  });
  after(async () => {
    await console?.quit();
    await indexing?.stop();
    await purgeApp(platform, index);
    await platform?.stop();
  });

  const row = (kind: string, ...texts: readonly string[]) =>
    texts.reduce(
      (found, text) => found.filter({ hasText: text }),
      console.page
        .getByRole("list", { name: "Timeline" })
        .getByRole("listitem")
        .filter({ hasText: new RegExp(`${kind}`) }),
    );
  const press = (key: string) => console.page.keyboard.press(key);

  test("a request id leads to the request, the hook, its deliveries, a run and the log lines of every app, by keyboard", async () => {
    await console.visit("/console/trace");
    await console.signIn("Ada Admin");
    await console.text("Requests of the last hour");
    await console.page.getByLabel("Request id or trace id").focus();
    await console.page.keyboard.type(requestId);
    await press("Enter");
    await console.page.waitForURL(new RegExp(`/console/trace/${requestId}$`));
    await row("Request", "POST /notes", "to Notes", "201").waitFor();
    await row("Hook", `${notes}.created`).waitFor();
    for (const name of ["Notes", "Clock", index]) await row("Delivery", `to ${name}`, "DELIVERED").waitFor();
    await row("Run", "index-note", index, "COMPLETED").waitFor();
    await row("Log", "Notes", "route=POST /notes status=201").first().waitFor();
    await row("Log", "Clock", "a note was created").first().waitFor();
    await console.lookAt("trace");
    assert.ok(!(await console.page.locator("main").innerText()).includes("followed by its trace"));
    await console.page.getByLabel("Log lines").focus();
    await press("Space");
    await row("Log", "route=POST /notes").first().waitFor({ state: "detached" });
    assert.match(console.page.url(), /logs=false/);
    console.requireQuiet();
  });

  test("the requests of the last hour appear as they happen, are filtered by the address, and lead to their traces", async () => {
    const main = console.page.locator("main");
    await console.visit(`/console/trace?app=${notes}`);
    await console.row("POST /notes").first().waitFor();
    await console.lookAt("traces");
    assert.equal(await console.page.getByRole("cell", { name: "platform", exact: true }).count(), 0);
    // Refused, as it has no session.
    await send(platform.httpUrl, `/api/apps/${notes}/notes`);
    const refused = console.row("401").filter({ hasText: "Not signed in" });
    await refused.first().waitFor();
    // The input of a switch is as small as a pixel.
    await console.page.getByLabel("Failed only").focus();
    await press("Space");
    await console.page.waitForURL(/failed=true/);
    await console.row("201").first().waitFor({ state: "detached" });
    await refused.first().waitFor();
    await console.page.getByRole("combobox", { name: "Person" }).fill("user:no-one");
    await console.text("No request matches");
    await console.lookAt("traces, none");
    await main.getByRole("link", { name: "show all requests" }).click();
    await console.page.waitForURL(/\/console\/trace$/);
    await console.page.getByRole("link", { name: "POST /notes" }).last().click();
    await row("Request", "POST /notes", "to Notes").first().waitFor();
    console.requireQuiet();
  });

  test("while the list is not live, it shows no further requests", async () => {
    const traceId = crypto.randomUUID().replaceAll("-", "");
    const refuse = () =>
      send(platform.httpUrl, `/api/apps/${notes}/notes`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-00` } });
    await send(platform.httpUrl, `/api/apps/${notes}/notes`);
    await console.visit(`/console/trace?app=${notes}&failed=true`);
    await console.row("401").first().waitFor();
    // Those before it are stored.
    await console.page.waitForTimeout(2_500);
    await console.page.getByLabel("Live").focus();
    await press("Space");
    const count = await console.row("401").count();
    await refuse();
    await console.page.waitForTimeout(4_000);
    assert.equal(await console.row("401").count(), count);
    await press("Space");
    await console.page.locator(`a[href="/console/trace/${traceId}"]`).waitFor();
    console.requireQuiet();
  });

  test("a minute of a chart leads to its requests, of all apps and of one", async () => {
    for (const [path, app] of [
      ["/console", null],
      [`/console/apps/${notes}?range=hour`, notes],
    ] as const) {
      await console.visit(path);
      const chart = console.page
        .getByRole("img", { name: /^Requests of the last hour/ })
        .locator(".u-over")
        .first();
      await chart.waitFor();
      const { width, height } = (await chart.boundingBox()) ?? assert.fail();
      await chart.click({ position: { x: width - 2, y: height / 2 } });
      await console.text("Only requests that began from");
      const search = new URL(console.page.url()).searchParams;
      assert.equal(search.get("app"), app);
      const [since, until] = ["since", "until"].map((name) => Date.parse(search.get(name) ?? ""));
      assert.deepEqual([Number(since) % 60_000, Number(until) - Number(since)], [0, 60_000]);
      await console.page.getByRole("link", { name: "Show the whole hour" }).click();
      await console.row("POST /notes").first().waitFor();
      assert.equal(new URL(console.page.url()).searchParams.get("app"), app);
    }
    console.requireQuiet();
  });

  test("each part leads to its page, and the run back to the trace", async () => {
    await console.visit(`/console/trace/${requestId}`);
    await row("Run", "index-note").getByRole("link", { name: "index-note" }).click();
    await console.page.waitForURL(/\/console\/activities\/runs\//);
    const trace = console.page.getByRole("link", { name: "Trace", exact: true });
    const traceId = (await trace.getAttribute("href"))?.split("/").at(-1) ?? assert.fail();
    await trace.click();
    await console.page.waitForURL(new RegExp(`/console/trace/${traceId}$`));
    await row("Request", "POST /notes").waitFor();
    await row("Delivery", "to Clock")
      .getByRole("link", { name: `${notes}.created` })
      .click();
    await console.page.waitForURL(/\/console\/hooks\?/);
    // The newest delivery comes first.
    await console.page
      .getByRole("button", { name: `Details of ${notes}.created to ${clock}` })
      .first()
      .click();
    await console.page.locator(`main a[href="/console/trace/${traceId}"]`).first().click();
    await row("Delivery", "to Clock").waitFor();
    console.requireQuiet();
  });

  test("the command palette shows the trace of a pasted id", async () => {
    await console.visit("/console");
    await console.text("Recent events");
    await press("Control+K");
    await console.dialog.getByLabel("Search").fill(requestId);
    await console.page.getByRole("option", { name: `Show trace ${requestId}` }).waitFor();
    await press("Enter");
    await console.page.waitForURL(new RegExp(`/console/trace/${requestId}$`));
    await row("Request", "POST /notes").waitFor();
    console.requireQuiet();
  });

  test("a command that failed leads to its trace, and so do its event and its audit entry", async () => {
    await console.visit("/console");
    await console.text("Recent events");
    await press("Control+K");
    await console.dialog.getByLabel("Search").fill("restart clock");
    await console.page.getByRole("option", { name: /^Restart Clock/ }).waitFor();
    // The command names an app that does not exist.
    await console.page.route("**/graphql", async (route) => {
      const body = route.request().postDataJSON() as { readonly query: string };
      const isCommand = body.query.includes("mutation RestartApp(");
      await route.continue(isCommand ? { postData: JSON.stringify({ ...body, variables: { name: "com.example.none" } }) } : {});
    });
    await press("Enter");
    await console.text("The command failed: Clock");
    await console.page.unroute("**/graphql");
    await console.lookAt("notice with a trace");
    await console.page.getByRole("link", { name: "Show trace" }).click();
    await row("Request", "POST /graphql", "NOT_FOUND").waitFor();
    await command(platform, `setAppEnabled(name: "${clock}", enabled: false) { success }`);
    await command(platform, `setAppEnabled(name: "${clock}", enabled: true) { success }`);
    await console.visit(`/console/audit?target=app:${clock}`);
    const entry = console.page.getByRole("row").filter({ hasText: "app.enable" }).first();
    await entry.getByRole("link", { name: /^Trace [0-9a-f]{32}$/ }).click();
    await row("Audit", "app.enable", `app:${clock}`).waitFor();
    await console.visit(`/console/events?app=${clock}`);
    await console.page
      .getByRole("link", { name: /^Trace of the event / })
      .first()
      .click();
    await row("Event").first().waitFor();
    console.requireQuiet();
  });

  test("an unknown id is said to be unknown, and what is no id is refused", async () => {
    await console.visit("/console/trace/01a207a9-4200-700a-9f12-134197748461");
    await console.text("Nothing is known of this id");
    await console.lookAt("trace, unknown");
    await console.visit("/console/trace/not%20an%20id");
    await console.text("must be a request id or a trace id");
    console.requireQuiet();
  });

  test("a user without the permission sees which one is missing, and no link", async () => {
    const guest = await ConsolePage.open(console.browser, platform);
    await guest.visit(`/console/trace/${requestId}`);
    await guest.signIn("Bob Guest");
    await guest.text("trace:view");
    assert.equal(await guest.page.getByRole("link", { name: "Traces" }).count(), 0);
    guest.requireQuiet();
    await guest.close();
  });
});
