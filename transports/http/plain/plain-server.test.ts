import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { SystemClock } from "@appserver/kernel";
import { Echo, started } from "../../test/http-listener-fixture.ts";
import { uiWithScript } from "../../test/script-asset.ts";
import type { HttpListener } from "../index.ts";

const clock = new SystemClock();
const trace = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n";
const common = `Host: h\r\nX-Request-ID: r1\r\n${trace}`;

const get = `GET /api/apps/a/b HTTP/1.1\r\n${common}\r\n`;
const post = `POST /api/apps/a/b HTTP/1.1\r\n${common}Content-Length: 5\r\n\r\nhello`;
const chunked = `POST /api/apps/a/b HTTP/1.1\r\n${common}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`;
const last = `GET /api/apps/a/last HTTP/1.1\r\n${common}Connection: close\r\n\r\n`;

/** What clients send on one connection. */
const requests: Readonly<Record<string, string>> = {
  get,
  post,
  chunked,
  head: `HEAD /api/apps/a/b HTTP/1.1\r\n${common}\r\n`,
  options: `OPTIONS /api/apps/a/b HTTP/1.1\r\n${common}Origin: https://console.example.com\r\nAccess-Control-Request-Method: PUT\r\n\r\n`,
  "allowed origin": `GET /api/apps/a/b HTTP/1.1\r\n${common}Origin: https://console.example.com\r\n\r\n`,
  "other origin": `POST /api/apps/a/b HTTP/1.1\r\n${common}Origin: https://evil.example\r\nCookie: a=b\r\nContent-Length: 0\r\n\r\n`,
  "service worker": `GET /api/apps/a/b HTTP/1.1\r\n${common}Service-Worker: script\r\n\r\n`,
  failed: `GET /api/apps/a/fail HTTP/1.1\r\n${common}\r\n`,
  limited: `GET /api/apps/a/limited HTTP/1.1\r\n${common}Accept: application/problem+json\r\n\r\n`,
  slow: `GET /api/apps/a/slow HTTP/1.1\r\n${common}\r\n`,
  underscore: `GET /api/apps/a/b HTTP/1.1\r\n${common}a_b: c\r\n\r\n`,
  "an asset": `GET /apps/com.example.notes/assets/js/main.js HTTP/1.1\r\n${common}\r\n`,
  "no asset": `GET /apps/com.example.notes/assets/none.js HTTP/1.1\r\n${common}Accept: text/html\r\n\r\n`,
  "a part of an asset": `GET /apps/com.example.notes/assets/js/main.js HTTP/1.1\r\n${common}Range: bytes=1-3\r\n\r\n`,
  "the head of an asset": `HEAD /assets/0199/js%2Fmain.js HTTP/1.1\r\n${common}\r\n`,
  "an asset that is deleted": `DELETE /assets/0199/js/main.js HTTP/1.1\r\n${common}\r\n`,
  "that it runs": `GET /health HTTP/1.1\r\n${common}\r\n`,
  "that it runs, posted": `POST /health/live HTTP/1.1\r\n${common}\r\n`,
  "a query": `GET /graphql?query=%7B__typename%7D HTTP/1.1\r\n${common}\r\n`,
  "an operation": `POST /graphql HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
  "an operation of another site": `POST /graphql HTTP/1.1\r\n${common}Origin: https://evil.example\r\nContent-Length: 2\r\n\r\n{}`,
  "another path": `GET /nothing HTTP/1.1\r\n${common}\r\n`,
};

describe("the plain path answers as Node's server does", { timeout: 60_000 }, () => {
  let [plain, node]: HttpListener[] = [];
  before(async () => {
    const handlers = () => ({ ui: uiWithScript().http, proxy: new Echo(), graphql: new Echo().graphql });
    [plain, node] = await Promise.all([
      started({ ...handlers(), plainPath: true }),
      started({ ...handlers(), plainPath: false }),
    ]);
  });
  after(() => Promise.all([plain?.stop(), node?.stop()]));

  const both = async (pieces: readonly string[]): Promise<string> => {
    const [one, other] = await Promise.all([answersOf(plain, pieces), answersOf(node, pieces)]);
    assert.equal(one, other, JSON.stringify(pieces));
    return one;
  };

  test("each request, and each pair of requests in one write and one after the other", async () => {
    const all = Object.values(requests);
    await Promise.all(all.map((request) => both([request + last])));
    for (const first of all)
      await Promise.all(all.map((second) => Promise.all([both([first + second + last]), both([first, second, last])])));
  });

  test("a request in two pieces, at each position", async () => {
    const text = post + last;
    const [whole] = await Promise.all([both([text])]);
    const positions = Array.from({ length: post.length }, (_, index) => index + 1);
    for (let i = 0; i < positions.length; i += 20) {
      const answers = positions.slice(i, i + 20).map((at) => answersOf(plain, [text.slice(0, at), text.slice(at)]));
      for (const answer of await Promise.all(answers)) assert.equal(answer, whole);
    }
  });

  test("a response before the end of a body, and half a body", async () => {
    const begin = (path: string, more = ""): string =>
      `POST /api/apps/a/${path} HTTP/1.1\r\n${common}${more}Content-Length: 5\r\n\r\nhe`;
    await both([begin("fail"), `llo${last}`]);
    await both([begin("fail", "Connection: close\r\n"), "llo"]);
    await both([begin("b", "Connection: close\r\n"), "llo"]);
    for (const path of ["b", "fail", "slow"]) {
      await both([begin(path)]);
      await both([begin(path, "Connection: close\r\n")]);
    }
  });

  test("what is no request at all", async () => {
    for (const text of ["\r\n", "PRI * HTTP/1.1\r\n\r\n", "GET\r\n\r\n", "GARBAGE"]) await both([text]);
  });

  test("what comes behind a request is refused after that has its response", async () => {
    for (const text of [`${get}GARBAGE\r\n\r\n`, `${get}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`]) {
      assert.match(await answersOf(plain, [text]), /^HTTP\/1\.1 200 OK\r\n[\s\S]*HTTP\/1\.1 400 Bad Request\r\n/);
      await both([get, text.slice(get.length)]);
    }
  });
});

/** Returns what the server sends until it closes the connection, without dates and uptimes. The client sends nothing more after the pieces. */
function answersOf(listener: HttpListener | undefined, pieces: readonly string[]): Promise<string> {
  const socket = connect(listener?.address().port ?? 0, "127.0.0.1");
  socket.setNoDelay(true);
  let text = "";
  return new Promise((resolve, reject) => {
    socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1"))).on("error", reject);
    socket.once("close", () =>
      resolve(text.replaceAll(/Date: [^\r]*\r\n|(?:content-length: \d+\r\n)(?=[^{]*\{"status":"ok")|"uptime":[\d.]+/g, "")),
    );
    const send = async (): Promise<void> => {
      for (const [index, piece] of pieces.entries()) {
        // Node forgets a request behind which it refuses something in the same bytes.
        if (index > 0) await (piece.endsWith(last) ? clock.sleep(5) : Promise.race([once(socket, "data"), clock.sleep(500)]));
        socket.write(piece, "latin1");
      }
      // A request that is not complete waits for its rest.
      if (!pieces.at(-1)?.endsWith(last)) socket.end();
    };
    send().catch(reject);
  });
}
