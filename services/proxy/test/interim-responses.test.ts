import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { app, route, TestProxy } from "./fakes.ts";

const final = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
/** Starts an upstream that sends these pieces for each request in turn. */
async function proxyTo(
  t: { after(fn: () => Promise<void>): void },
  answers: readonly (readonly string[])[],
  timeoutMs = 20_000,
) {
  let connections = 0;
  let asked = 0;
  const upstream = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    const answer = async (pieces: readonly string[]): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece);
        await sleep(5);
      }
    };
    socket.on("data", (request) => {
      if (request.toString("latin1").includes("HTTP/1.1\r\n")) void answer(answers[asked++ % answers.length] ?? []);
    });
  });
  await once(upstream.listen(0, "127.0.0.1"), "listening");
  const proxy = new TestProxy();
  t.after(async () => {
    await proxy.stop();
    upstream.close();
  });
  const routes = [route("/x", { methods: ["GET", "POST"], timeoutMs })];
  await proxy.start(app({ url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, api: { routes } }));
  return { proxy, connections: () => connections };
}

const proceed = "HTTP/1.1 100 Continue\r\n\r\n";
const spellings: Readonly<Record<string, readonly string[]>> = {
  "in one piece with the response": [proceed + final],
  alone: [proceed, final],
  "with headers": ["HTTP/1.1 100 Continue\r\nX-Own: 1\r\n\r\n", final],
  "without a reason": [`HTTP/1.0 100\r\n\r\n${final}`],
  "byte by byte": [...(proceed + final)],
  "more than once, and among others": [`${proceed}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${proceed}`, proceed, final],
};

for (const [name, pieces] of Object.entries(spellings)) {
  test(`an unrequested 100 Continue is dropped, ${name}`, async (t) => {
    const { proxy, connections } = await proxyTo(t, [pieces]);
    for (const init of [{}, { method: "POST", body: "body" }, {}]) {
      const { status, body, headers } = await proxy.fetch("/api/apps/demo/x", init);
      assert.deepEqual([status, body, headers["x-own"]], [200, "done", undefined]);
    }
    assert.equal(connections(), 1);
  });
}

test("a text like an interim response inside a body is kept", async (t) => {
  const body = `${proceed}HTTP/1.1 100 Continue\r\n\r\n`;
  const { proxy } = await proxyTo(t, [[`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, body]]);
  for (let turn = 0; turn < 2; turn += 1) assert.equal((await proxy.fetch("/api/apps/demo/x")).body, body);
});

test("an interim response without an end is an error of the upstream", async (t) => {
  const { proxy } = await proxyTo(t, [[`HTTP/1.1 100 Continue\r\n${"X-Own: 1\r\n".repeat(2_000)}`]]);
  assert.equal((await proxy.fetch("/api/apps/demo/x")).status, 502);
});
