import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { eventually, RunningPlatform } from "@appserver/testing/kit";
import type { Request } from "playwright-core";
import { command } from "../../../contract/commands.ts";
import { withoutChromium } from "../launch-chromium.ts";
import { ConsolePage } from "./console-page.ts";
import { busy, fillTables, many, rare } from "./large-tables.ts";
import { storeText } from "./pictures.ts";

/** Each list is opened so often, and the median counts: other work of the machine disturbs single openings. */
const openings = 5;
/** What the platform may take for a page of a list. Reading all rows takes a multiple. */
const maxMs = 300;

interface List {
  /** The name of the GraphQL operation that reads it. */
  readonly operation: string;
  readonly pageSize: number;
  readonly rows: string;
  readonly paths: readonly string[];
}

const rows = "main tbody tr";
const statuses = (path: string, names: readonly string[]): readonly string[] => names.map((name) => `${path}?status=${name}`);
const lists: readonly List[] = [
  {
    operation: "HookDeliveries",
    pageSize: 40,
    rows,
    paths: [
      "/console/hooks",
      ...statuses("/console/hooks", ["PENDING", "SENDING", "RETRYING", "DELIVERED", "DEAD", "DROPPED"]),
      `/console/hooks?app=${rare}`,
      `/console/hooks?hook=${rare}.changed&status=DELIVERED`,
    ],
  },
  {
    operation: "HookEvents",
    pageSize: 40,
    rows: "main article",
    paths: ["/console/hooks/events", `/console/hooks/events?hook=${rare}.changed`, `/console/hooks/events?app=${rare}`],
  },
  {
    operation: "ActivityRuns",
    pageSize: 40,
    rows,
    paths: [
      "/console/activities",
      ...statuses("/console/activities", [
        ...["DELAYED", "QUEUED", "RUNNING", "COMPLETED", "FAILED", "CANCELED", "TIMED_OUT", "CRASHED", "EXPIRED"],
      ]),
      `/console/activities?app=${rare}`,
    ],
  },
  {
    operation: "Events",
    pageSize: 50,
    rows,
    paths: [
      "/console/events",
      "/console/events?type=HOOK_DEAD_LETTERED",
      `/console/events?app=${rare}`,
      `/console/events?app=${busy}&type=APP_REGISTERED`,
    ],
  },
  {
    operation: "AuditLog",
    pageSize: 50,
    rows,
    paths: [
      "/console/audit",
      ...["denied", "failure", "success"].map((outcome) => `/console/audit?outcome=${outcome}`),
      "/console/audit?actor=user%3Arare",
      "/console/audit?action=access.grant",
      `/console/audit?target=app%3A${rare}`,
      "/console/audit?since=2020-01-01T00:00",
      `/console/audit?until=2099-01-01T00:00&outcome=success&actor=user%3Arare`,
    ],
  },
];

/** Changes the address as a link of the console does. Resolves with the milliseconds until the list has rows. */
const openList = (path: string, selector: string): string => `new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("no rows at " + ${JSON.stringify(path)})), 30_000);
  const startedAt = performance.now();
  const look = () => document.querySelector(${JSON.stringify(selector)}) && done();
  const done = () => {
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - startedAt));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  history.pushState(null, "", ${JSON.stringify(path)});
})`;

interface Asked {
  readonly operation: string;
  readonly variables: { readonly first?: number; readonly after?: string | null };
  readonly ms: number;
}

describe("lists of the console with 100,000 rows", { skip: withoutChromium }, () => {
  let platform: RunningPlatform;
  let console: ConsolePage;
  const asked: Asked[] = [];
  before(async () => {
    platform = await RunningPlatform.start();
    await platform.onDatabase(fillTables);
    console = await ConsolePage.launch(platform);
    console.page.on("requestfinished", (request) => void note(request));
    await console.visit("/");
    await console.signIn("Ada Admin");
  });
  after(async () => {
    await console?.quit();
    await platform?.stop();
  });

  /** The time of the platform alone: from the last byte of the request to the first of the response. */
  async function note(request: Request): Promise<void> {
    if (!request.url().endsWith("/graphql")) return;
    const { query = "", variables = {} } = request.postDataJSON() as { query?: string } & Pick<Asked, "variables">;
    const { requestStart, responseStart } = request.timing();
    const operation = /query (\w+)/.exec(query)?.[1] ?? "";
    asked.push({ operation, variables, ms: responseStart - requestStart });
  }
  /** A page without a list. The browser has forgotten what it has read before. */
  async function startAgain(): Promise<void> {
    await console.visit("/");
    await home();
  }
  const home = (): Promise<void> => console.page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  const count = (selector: string): Promise<number> => console.page.locator(selector).count();
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

  for (const { operation, pageSize, rows, paths } of lists) {
    test(`${operation}: each filter is answered within ${maxMs} ms, and reads one page`, async (context: TestContext) => {
      const shown = new Map(paths.map((path): [string, number[]] => [path, []]));
      const answered = new Map(paths.map((path): [string, number[]] => [path, []]));
      for (let opening = 0; opening < openings; opening += 1) {
        await startAgain();
        for (const path of paths) {
          await console.page.evaluate("history.pushState(null, '', '/')");
          await home();
          asked.length = 0;
          shown.get(path)?.push(await console.page.evaluate<number>(openList(path, rows)));
          assert.equal(await count(rows), pageSize, path);
          const [first] = await eventually(
            () => asked.filter((each) => each.operation === operation),
            (found) => found.length > 0,
          );
          assert.equal(first?.variables.first, pageSize);
          answered.get(path)?.push(first?.ms ?? Number.NaN);
        }
      }
      const slow: string[] = [];
      const all: string[] = [];
      for (const path of paths) {
        const [api, page] = [median(answered.get(path) ?? []), median(shown.get(path) ?? [])];
        const best = Math.min(...(shown.get(path) ?? []));
        const figures = `${path}: API ${api.toFixed(0)} ms; rows after ${page.toFixed(0)} ms, at best ${best.toFixed(0)} ms`;
        all.push(figures);
        if (!(api <= maxMs)) slow.push(figures);
      }
      for (const line of all) context.diagnostic(line);
      await storeText(`large-lists-${operation}`, all.join("\n"));
      assert.deepEqual(slow, []);
      console.requireQuiet();
    });

    test(`${operation}: "Show more" reads one page after the last row`, async () => {
      for (const path of paths) {
        await startAgain();
        await console.page.evaluate(openList(path, rows));
        const ends: unknown[] = [];
        for (let page = 1; page < 3; page += 1) {
          asked.length = 0;
          if (page * pageSize > many) break;
          if (!(await console.page.getByRole("button", { name: "Show more" }).isVisible())) break;
          await console.click("Show more");
          await eventually(
            () => count(rows),
            (found) => found > page * pageSize,
          );
          const mores = asked.filter((each) => each.operation === operation && each.variables.after);
          // The pages that are shown may be read again in the meantime.
          const after = new Set(mores.map(({ variables }) => variables.after).filter((each) => !ends.includes(each)));
          assert.equal(after.size, 1, path);
          ends.push(...after);
          assert.ok(mores.every(({ variables }) => variables.first === pageSize));
        }
        assert.ok(ends.length > 0, path);
      }
      console.requireQuiet();
    });
  }

  test('"Show more" loads the next page also if an event has the list read again at that moment', async () => {
    const path = "/console/events?app=com.example.busy";
    await console.visit(path);
    await console.page.locator(rows).first().waitFor();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = false;
    await console.page.route("**/graphql", async (route) => {
      const { query = "", variables } = route.request().postDataJSON() as { query?: string } & Pick<Asked, "variables">;
      if (query.includes("query Events(") && variables.after && !isHeld) {
        isHeld = true;
        await held;
      }
      await route.continue();
    });
    await console.click("Show more");
    await eventually(
      () => isHeld,
      (is) => is,
    );
    asked.length = 0;
    await command(platform, `setAppEnabled(name: "com.example.clock", enabled: false) { success }`);
    await eventually(
      () => asked,
      (all) => all.some(({ operation }) => operation === "Events"),
    );
    release();
    await eventually(
      () => count(rows),
      (found) => found === 100,
    );
    await console.page.unroute("**/graphql");
    console.requireQuiet();
  });
});
