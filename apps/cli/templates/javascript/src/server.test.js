import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serveApp } from "@appserver/sdk";
import { routes } from "./routes.js";

let app;
before(async () => {
  app = await serveApp({ host: "127.0.0.1", port: 0, routes });
});
after(() => app.stop());

const get = (path) => fetch(`http://127.0.0.1:${app.port}${path}`);

test("greets a person by name", async () => {
  const response = await get("/hello/ada");
  assert.deepEqual(await response.json(), { hello: "ada", from: "an anonymous visitor" });
});

test("says that a person is unknown", async () => {
  assert.equal((await get("/hello/unknown")).status, 404);
});
