import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  type EmbeddedPlatform,
  eventually,
  jsonOf,
  send,
  startPlatform,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import { dataOf, purgeApp } from "./commands.ts";

const links = "com.example.links";
const gallery = join(import.meta.dirname, "../../gallery");

interface Offered {
  readonly name: string;
  readonly displayName: string;
  readonly icon: string | null;
  readonly translations: { readonly de?: { readonly displayName: string } };
  readonly app: { readonly state: string } | null;
}

describe("the gallery of a platform in development", () => {
  let platform: EmbeddedPlatform;
  before(async () => {
    platform = (await startPlatform()) as EmbeddedPlatform;
  });
  after(async () => {
    await purgeApp(platform, links);
    await platform?.stop();
  });

  async function offered(): Promise<readonly Offered[]> {
    const query = "{ gallery { name displayName icon translations app { state } } }";
    return (await dataOf<{ readonly gallery: readonly Offered[] }>(platform, query)).gallery;
  }

  async function processes(): Promise<readonly string[]> {
    return (await readdir(join(platform.dataDir, "processes"))).filter((name) => name.includes(links));
  }

  test("an app is tried with one request, responds through the proxy, and is removed with its process", async () => {
    const offer = (await offered()).find(({ name }) => name === links);
    assert.partialDeepStrictEqual(offer, { displayName: "Links", translations: { de: { displayName: "Links" } }, app: null });
    assert.match(offer?.icon ?? "", /^<svg/);

    const cookie = await platform.login("admin");
    const origin = platform.httpUrl;
    const headers = { cookie, origin, "content-type": "application/json" };
    const tried = await send(origin, `/api/v2/gallery/${links}/try`, { method: "POST", headers });
    assert.equal(tried.status, 202, tried.text);
    assert.partialDeepStrictEqual(jsonOf(tried), { kind: "install", actor: "user:admin" });
    await untilState(platform, links, "RUNNING");
    assert.notDeepEqual(await processes(), []);

    const path = `/api/apps/${links}/links`;
    await untilStatus(origin, path, 200, { headers });
    const link = { group: "Office", title: "Wiki", url: "https://wiki.example.com/" };
    const added = await send(origin, path, { method: "POST", headers, body: JSON.stringify(link) });
    assert.equal(added.status, 201, added.text);
    assert.partialDeepStrictEqual(jsonOf(await send(origin, path, { headers })), { links: [link] });
    assert.equal((await send(origin, path, { headers: { cookie: await platform.login("bob") } })).status, 403);
    // The key is one of this platform, and not in the repository.
    assert.ok(existsSync(join(platform.dataDir, "gallery", links, "key.pem")));
    assert.equal(existsSync(join(gallery, "links/key.pem")), false);

    const removed = await send(origin, `/api/v2/apps/${links}/uninstall?purgeData=true`, { method: "DELETE", headers });
    assert.equal(removed.status, 202, removed.text);
    await untilState(platform, links, "UNINSTALLED");
    await untilStatus(origin, path, 404, { headers });
    await eventually(processes, (left) => left.length === 0, { what: "its process is removed" });
    assert.equal((await offered()).find(({ name }) => name === links)?.app?.state, "UNINSTALLED");
  });
});
