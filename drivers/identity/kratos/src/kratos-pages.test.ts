import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { rejectsWith } from "@appserver/testing/kit";
import { flowUrl, KratosPages } from "./kratos-pages.ts";

describe("KratosPages", () => {
  const requests: IncomingMessage[] = [];
  let answers: ((response: ServerResponse) => void)[];
  let pages: KratosPages;
  const server = createServer((request, response) => {
    requests.push(request);
    answers.shift()?.(response);
  });
  const json =
    (status: number, body: string): ((response: ServerResponse) => void) =>
    (response) =>
      void response.writeHead(status).end(body);

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kratos/`;
    pages = new KratosPages({ publicUrl, sessionCookieName: "own" });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it("begins a flow with the address to return to", () => {
    const back = "https://platform.example/console/apps?state=FAILED";
    const url = `https://id.example/self-service/login/browser?return_to=${encodeURIComponent(back)}`;
    assert.equal(flowUrl("https://id.example/", "login", { return_to: back }), url);
    assert.equal(flowUrl("https://id.example/", "login", { return_to: back, aal: "aal2" }), `${url}&aal=aal2`);
  });

  it("ends the session, sends only its cookie, and returns the cookies that Kratos deletes", async () => {
    answers = [
      json(200, JSON.stringify({ logout_token: "x/y" })),
      (response) => void response.writeHead(204, { "set-cookie": ["own=; Max-Age=0", "ory_x=; Max-Age=0"] }).end(),
    ];
    assert.deepEqual(await pages.signOut({ cookies: "a=1; own=s3; b=2" }), ["own=; Max-Age=0", "ory_x=; Max-Age=0"]);
    assert.deepEqual(
      requests.splice(0).map(({ url, headers }) => [url, headers.cookie]),
      [
        ["/kratos/self-service/logout/browser", "own=s3"],
        ["/kratos/self-service/logout?token=x%2Fy", "own=s3"],
      ],
    );
  });

  it("ends the session of appctl: of a browser by its cookie, any other by its token", async () => {
    answers = [json(200, JSON.stringify({ logout_token: "x" })), (response) => void response.writeHead(204).end()];
    assert.deepEqual(await pages.signOut({ value: "s3" }), []);
    answers = [(response) => void response.writeHead(204).end(), json(403, "{}"), json(500, "{}")];
    assert.deepEqual(await pages.signOut({ token: "s4" }), []);
    assert.deepEqual(await pages.signOut({ token: "unknown" }), []);
    await assert.rejects(pages.signOut({ token: "s4" }), rejectsWith("SERVICE_UNAVAILABLE"));
    assert.deepEqual(
      requests.splice(0, 3).map(({ method, url, headers }) => [method, url, headers.cookie]),
      [
        ["GET", "/kratos/self-service/logout/browser", "own=s3"],
        ["GET", "/kratos/self-service/logout?token=x", "own=s3"],
        ["DELETE", "/kratos/self-service/logout/api", undefined],
      ],
    );
    requests.length = 0;
  });

  it("returns at once if there is no session", async () => {
    assert.deepEqual(await pages.signOut({ cookies: "a=1" }), []);
    assert.equal(requests.length, 0);
    answers = [json(401, "{}")];
    assert.deepEqual(await pages.signOut({ cookies: "own=old" }), []);
  });

  it("rejects with SERVICE_UNAVAILABLE if the session was not ended", async () => {
    const token = json(200, JSON.stringify({ logout_token: "x" }));
    for (const given of [[json(500, "{}")], [json(200, "{}")], [json(200, "oops")], [token, json(403, "{}")]]) {
      answers = given;
      await assert.rejects(pages.signOut({ cookies: "own=s3" }), rejectsWith("SERVICE_UNAVAILABLE"));
    }
  });
});
