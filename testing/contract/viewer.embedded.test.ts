import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { platformPermissions } from "@appserver/contracts/authorization";
import { jsonOf, type PlatformUnderTest, send, startPlatform, type TestUser } from "@appserver/testing/kit";
import { command } from "./commands.ts";

interface Entry {
  readonly title: string;
  readonly href: string;
  readonly children: readonly Entry[];
}
interface Page {
  readonly name: string;
  readonly mode: string;
  readonly url: string;
  readonly integrity: string;
  readonly navigation: readonly Entry[];
}
interface WholePage extends Page {
  readonly state: string;
  readonly sandboxed: boolean;
  readonly scripts: readonly { readonly url: string; readonly integrity: string }[];
}
interface Viewer {
  readonly subject: string | null;
  readonly kind: string;
  readonly displayName: string | null;
  readonly permissions: readonly string[];
  readonly mayRegister: boolean;
  readonly navigation: readonly Entry[];
}

describe("viewer", () => {
  let platform: PlatformUnderTest;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform?.stop());

  const viewerOf = async (user?: TestUser): Promise<Viewer> => {
    const headers = user === undefined ? {} : { cookie: await platform.login(user) };
    const answer = await send(platform.httpUrl, "/api/v2/viewer", { headers });
    assert.equal(answer.status, 200, answer.text);
    return jsonOf(answer) as Viewer;
  };
  const titlesOf = ({ navigation }: Viewer) =>
    navigation.map(({ title, children }) => [title, children.map((each) => each.title)]);

  test("says who the caller is and which permissions of the platform it holds", async () => {
    const admin = await viewerOf("admin");
    assert.deepEqual([admin.subject, admin.kind, admin.displayName], ["user:admin", "user", "Ada Admin"]);
    assert.deepEqual(admin.permissions, Object.keys(platformPermissions));
    assert.deepEqual((await viewerOf("bob")).permissions, []);
    const { subject, kind, mayRegister } = await viewerOf();
    assert.deepEqual([subject, kind, mayRegister], [null, "system", true]);
  });

  test("gets the pages that it may see, with the hash of what their URL serves", async () => {
    const feedOf = async (user: TestUser) => {
      const headers = { cookie: await platform.login(user) };
      const answer = await send(platform.httpUrl, "/api/v2/frontend/feed", { headers });
      assert.equal(answer.status, 200, answer.text);
      return (jsonOf(answer) as { readonly items: readonly Page[] }).items;
    };
    // The apps of other test files have pages, too.
    const samples = ["com.example.clock", "com.example.notes"];
    const pages = (await feedOf("admin")).filter(({ name }) => samples.includes(name));
    assert.deepEqual(
      pages.map(({ name, mode }) => [name, mode]),
      [
        ["com.example.clock", "ESM_COMPONENT"],
        ["com.example.notes", "FEDERATION"],
      ],
    );
    for (const { url, integrity } of pages) {
      const content = Buffer.from(await (await fetch(new URL(url, platform.httpUrl))).arrayBuffer());
      assert.equal(integrity, `sha256-${createHash("sha256").update(content).digest("base64")}`);
    }
    const [notes] = (await feedOf("bob")).filter(({ name }) => name === "com.example.notes");
    assert.deepEqual(
      notes?.navigation.map(({ title }) => title),
      ["About notes"],
    );
  });

  test("gets one page with every script, and whether it is sandboxed", async () => {
    const pageOf = async (name: string, user: TestUser) =>
      await send(platform.httpUrl, `/api/v2/apps/${name}/page`, { headers: { cookie: await platform.login(user) } });
    const answer = await pageOf("com.example.notes", "admin");
    assert.equal(answer.status, 200, answer.text);
    const { url, integrity, scripts, sandboxed, state } = jsonOf(answer) as WholePage;
    assert.deepEqual([sandboxed, state], [true, "RUNNING"]);
    assert.ok(scripts.length > 1 && scripts.some((each) => each.url === url && each.integrity === integrity));
    for (const script of scripts) {
      const response = await fetch(new URL(script.url, platform.httpUrl));
      assert.match(response.headers.get("content-type") ?? "", /javascript/);
      assert.deepEqual([response.status, response.headers.get("x-subresource-integrity")], [200, script.integrity]);
    }
    assert.equal((await pageOf("com.example.clock", "bob")).status, 404, "bob may see none of its entries");
    assert.equal((await pageOf("com.example.none", "admin")).status, 404);
  });

  test("has the navigation of the installed and enabled apps, without what the caller may not see", async () => {
    const whole = titlesOf(await viewerOf("admin"));
    assert.ok(whole.some(([title]) => title === "Clock") && whole.some(([title]) => title === "Notes"), JSON.stringify(whole));
    const [notes] = titlesOf(await viewerOf("alice")).filter(([title]) => title === "Notes");
    assert.ok(notes, "alice may read notes");
    assert.ok(
      titlesOf(await viewerOf("bob")).every(([title]) => title !== "Notes"),
      "bob may not",
    );
    await command(platform, `setAppEnabled(name: "com.example.clock", enabled: false) { success }`);
    assert.ok(titlesOf(await viewerOf("admin")).every(([title]) => title !== "Clock"));
    await command(platform, `setAppEnabled(name: "com.example.clock", enabled: true) { success }`);
  });
});
