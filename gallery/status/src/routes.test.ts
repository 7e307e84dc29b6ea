import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { type AppOnDatabase, appOnDatabase } from "@appserver/testing/kit";
import { checkAll, type Token } from "./check.ts";
import { routes } from "./routes.ts";
import { managePermission, maxServices, type Service, type ServiceHistory } from "./service.ts";
import { Services } from "./services.ts";

describe("status", () => {
  let app: AppOnDatabase;
  let watched: Server;
  let url = "";
  let status = 200;
  let token: Token = { origin: undefined, value: undefined };
  const seen: (string | undefined)[] = [];
  before(async () => {
    watched = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(status, { location: "/elsewhere" }).end();
    }).listen(0, "127.0.0.1");
    await once(watched, "listening");
    url = `http://127.0.0.1:${(watched.address() as AddressInfo).port}`;
    app = await appOnDatabase({
      migrations: new URL("../migrations", import.meta.url),
      routes: ({ pool }) => routes(new Services(pool), () => token),
      held: { eve: [managePermission] },
    });
  });
  beforeEach(() => app.pool.query("truncate services cascade"));
  after(async () => {
    watched?.close();
    await app?.stop();
  });

  async function add(name: string, address: string): Promise<number> {
    const { status: added, json } = await app.send("eve", "POST", "/services", { name, url: address });
    assert.equal(added, 201);
    return (json as { readonly id: number }).id;
  }

  async function history(id: number, user = "ada"): Promise<ServiceHistory> {
    return (await app.send(user, "GET", `/services/${id}`)).json as ServiceHistory;
  }

  test("a service is checked when it is added, and its address is shown to managers only", async () => {
    status = 302;
    const id = await add("Shop", `${url}/health`);
    const listed = async (user: string): Promise<Service | undefined> =>
      ((await app.send(user, "GET", "/services")).json as { readonly services: readonly Service[] }).services[0];
    const service = await listed("ada");
    assert.deepEqual(
      [service?.id, service?.name, service?.last?.isUp, service?.share, service?.url],
      [id, "Shop", true, 1, undefined],
    );
    assert.equal((await listed("eve"))?.url, `${url}/health`);
  });

  test("the history has hours, changes and the reason of a failure", async () => {
    status = 200;
    const id = await add("Shop", url);
    const services = new Services(app.pool);
    await checkAll(services, token);
    status = 503;
    assert.deepEqual(await checkAll(services, token), { checked: 1, down: 1 });
    await app.pool.query("insert into checks values ($1, now() - interval '25 hours', false, 1, 'status 500')", [id]);
    const { hours, changes, share, last } = await history(id);
    const count = (of: "checks" | "failures"): number => hours.reduce((sum, hour) => sum + hour[of], 0);
    assert.deepEqual([count("checks"), count("failures"), Math.round((share ?? 0) * 3)], [3, 1, 2]);
    assert.equal(last?.problem, "status 503");
    assert.deepEqual(
      changes.map(({ isUp, problem }) => [isUp, problem]),
      [
        [false, "status 503"],
        [true, undefined],
        [false, "status 500"],
      ],
    );
    await checkAll(services, token);
    assert.equal((await history(id)).changes.length, 2, "the old check was removed");
  });

  test("a service that refuses connections is down", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const id = await add("Nothing", `http://127.0.0.1:${port}`);
    assert.equal((await history(id)).last?.problem, "no connection (ECONNREFUSED)");
  });

  test("the token goes to its origin only", async () => {
    status = 200;
    token = { origin: "https://other.example.com", value: "canary" };
    await add("Shop", url);
    assert.equal(seen.at(-1), undefined);
    token = { origin: url, value: "canary" };
    await checkAll(new Services(app.pool), token);
    assert.equal(seen.at(-1), "Bearer canary");
  });

  test("wrong services are refused with what was expected", async () => {
    await add("Shop", url);
    const wrong = "url must be an http or https address without a user name";
    for (const [body, code, error] of [
      [{ name: "A", url: "file:///etc/passwd" }, 400, wrong],
      [{ name: "A", url: "http://" }, 400, wrong],
      [{ name: "A", url: "https://ada:secret@example.com" }, 400, wrong],
      [{ name: "Shop", url }, 409, "there is a service of this name"],
    ] as const)
      assert.deepEqual(await app.send("eve", "POST", "/services", body), { status: code, json: { error } });
    await app.pool.query("insert into services (name, url) select n::text, $1 from generate_series(2, $2::int) n", [
      url,
      maxServices,
    ]);
    assert.equal((await app.send("eve", "POST", "/services", { name: "One more", url })).status, 409);
    assert.equal((await app.send("eve", "DELETE", "/services/999999")).status, 404);
  });
});
