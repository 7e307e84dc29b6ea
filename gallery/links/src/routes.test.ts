import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AppOnDatabase, appOnDatabase } from "@appserver/testing/kit";
import { type Link, maxLinks } from "./link.ts";
import { Links } from "./links.ts";
import { routes } from "./routes.ts";

const wiki = { group: "Office", title: "Wiki", url: "https://wiki.example.com/home" };

describe("links", () => {
  let app: AppOnDatabase;
  before(async () => {
    app = await appOnDatabase({
      migrations: new URL("../migrations", import.meta.url),
      routes: ({ pool }) => routes(new Links(pool)),
    });
  });
  after(() => app?.stop());

  const add = (link: object) => app.send("ada", "POST", "/links", link);

  async function titles(): Promise<readonly string[]> {
    const { links } = (await app.send("bob", "GET", "/links")).json as { readonly links: readonly Link[] };
    return links.map(({ group, title }) => `${group}: ${title}`);
  }

  test("links are listed by group and title until they are removed", async () => {
    assert.deepEqual(await titles(), []);
    const { status, json } = await add(wiki);
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(json, wiki);
    await add({ ...wiki, title: "canteen" });
    await add({ ...wiki, group: "Customers" });
    assert.deepEqual(await titles(), ["Customers: Wiki", "Office: canteen", "Office: Wiki"]);
    const path = `/links/${(json as Link).id}`;
    assert.equal((await app.send("ada", "DELETE", path)).status, 204);
    assert.equal((await app.send("ada", "DELETE", path)).status, 404);
    assert.deepEqual(await titles(), ["Customers: Wiki", "Office: canteen"]);
  });

  test("a link that exists, or is not one of the web, is refused with a reason", async () => {
    const refused = async (link: object): Promise<unknown> => {
      const { status, json } = await add({ ...wiki, group: "Refused", ...link });
      return `${status} ${(json as { readonly error: string }).error}`;
    };
    const noAddress = "400 url must be an address as https://example.com/page";
    assert.equal(await refused({ url: "javascript:alert(1)" }), noAddress);
    assert.equal(await refused({ url: "wiki" }), noAddress);
    assert.equal(await refused({ title: " " }), "400 title must have 1 to 80 characters");
    assert.equal((await add({ ...wiki, group: "Twice" })).status, 201);
    assert.equal(await refused({ group: "Twice" }), "409 the group Twice has a link Wiki already");
    assert.equal((await app.send("ada", "DELETE", "/links/wiki")).status, 404);
    await app.pool.query("insert into links (group_name, title, url) select 'Many', n, '' from generate_series(1, $1) n", [
      maxLinks,
    ]);
    assert.equal(await refused({}), `409 there are ${maxLinks} links already; remove one first`);
  });
});
