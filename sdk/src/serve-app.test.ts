import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, mock, test } from "node:test";
import { HttpError } from "./http-error.ts";
import { type RunningApp, serveApp } from "./serve-app.ts";

const host = "127.0.0.1";
let wellness: string | undefined;
const slowCall = { entered: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
const streamReturned = Promise.withResolvers<void>();
let app: RunningApp;
let url = "";

before(async () => {
  app = await serveApp({
    host,
    port: 0,
    health: () => {
      if (wellness !== undefined) throw new Error(wellness);
    },
    routes: {
      "GET /items/new": () => ({ json: "the form" }),
      "GET /items/{id}": ({ params, query }) => ({ json: { ...params, query: query.getAll("q") } }),
      "DELETE /items/{id}": () => ({ status: 204 }),
      "POST /items": async ({ json, caller, requestId }) => ({
        status: 201,
        headers: { location: "/items/1" },
        json: { got: await json(100), ...caller, requestId },
      }),
      "PUT /own/{number}": async (call) => {
        const named = await call.fields();
        return { json: [call.userId(), call.idParam("number"), named.text("title", { max: 5 })] };
      },
      "GET /files/{path...}": ({ params, path }) => ({ json: { ...params, all: path } }),
      "GET /v1.0": () => ({ json: "dots are dots" }),
      "GET /gone": () => {
        throw new HttpError(410, "it was removed");
      },
      "GET /broken": () => {
        throw new Error("password=secret");
      },
      "GET /events": () => ({
        events: (async function* () {
          yield { data: { n: 1 } };
          yield { event: "tick\ntock", id: "2", data: undefined };
        })(),
      }),
      "GET /endless": () => ({
        events: (async function* () {
          try {
            for (let n = 0; ; n += 1) {
              yield { data: n };
              await new Promise((resolve) => setTimeout(resolve, 5));
            }
          } finally {
            streamReturned.resolve();
          }
        })(),
      }),
      "GET /failing": () => ({
        events: (async function* () {
          yield { data: 1 };
          throw new Error("the source failed");
        })(),
      }),
      "GET /slow": async () => {
        slowCall.entered.resolve();
        await slowCall.released.promise;
        return { json: "done" };
      },
    },
  });
  url = `http://${host}:${app.port}`;
});
after(() => app.stop());

async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown; headers: Headers }> {
  const response = await fetch(url + path, init);
  const body = await response.text();
  return { status: response.status, body: body === "" ? undefined : JSON.parse(body), headers: response.headers };
}

/** Sends the path exactly as given. fetch would normalise it. */
async function askRaw(path: string): Promise<{ status: number | undefined; body: unknown }> {
  const [response] = await once(request({ host, port: app.port, path }).end(), "response");
  return { status: response.statusCode, body: JSON.parse(await text(response)) };
}

async function readStream(path: string): Promise<{ status: number; headers: Headers; body: string }> {
  const response = await fetch(url + path);
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe("event streams", () => {
  test("are sent without delay, and end after the last event", async () => {
    const { status, headers, body } = await readStream("/events");
    assert.deepEqual([status, headers.get("content-type")], [200, "text/event-stream"]);
    assert.equal(body, 'data: {"n":1}\n\nevent: tick tock\nid: 2\ndata: null\n\n');
  });

  test("end their source when the client disconnects", async () => {
    const abort = new AbortController();
    const response = await fetch(`${url}/endless`, { signal: abort.signal });
    assert.equal(response.status, 200);
    abort.abort();
    await streamReturned.promise;
  });

  test("break off if their source fails", async () => {
    const printed = mock.method(console, "error", () => {});
    await assert.rejects(readStream("/failing"));
    printed.mock.restore();
  });
});

describe("serveApp", () => {
  test("matches parameters, the rest of a path, and literal segments", async () => {
    assert.deepEqual((await ask("/items/7?q=a&q=b%20c")).body, { id: "7", query: ["a", "b c"] });
    assert.deepEqual((await ask("/items/caf%C3%A9")).body, { id: "café", query: [] });
    assert.equal((await ask("/items/new")).body, "the form");
    assert.deepEqual((await ask("/files/a/b%2Fc.txt")).body, { path: "a/b/c.txt", all: "/files/a/b%2Fc.txt" });
    assert.equal((await ask("/v1.0")).status, 200);
    assert.equal((await ask("/v1x0")).status, 404);
    assert.equal((await ask("/items/7/more")).status, 404);
  });

  test("matches the path as it was sent", async () => {
    assert.equal((await askRaw("//items/new")).status, 404);
    for (const path of ["/other/../items/new", "/files/../x", "/files/a%2F%2e%2E%2fx", "/files/./x", "/files/.."]) {
      assert.deepEqual(await askRaw(path), { status: 400, body: { error: "the path has dot segments" } }, path);
    }
    assert.equal((await askRaw("/files/..hidden/a..b")).status, 200);
    assert.deepEqual(await askRaw("/items/%ff"), { status: 400, body: { error: "the path is not valid percent-encoding" } });
  });

  test("returns the allowed methods", async () => {
    const { status, headers, body } = await ask("/items/7", { method: "PUT" });
    assert.deepEqual([status, headers.get("allow"), body], [405, "GET, DELETE", { error: "PUT is not allowed at /items/7" }]);
    assert.equal((await ask("/items/7", { method: "HEAD" })).status, 200);
    assert.deepEqual(await ask("/items/7", { method: "DELETE" }).then(({ status, body }) => [status, body]), [204, undefined]);
  });

  test("passes the body and the caller to the handler", async () => {
    const headers = { "x-user-id": "alice", "x-request-id": "r-1" };
    const answer = await ask("/items", { method: "POST", body: '{"text":"tea"}', headers });
    assert.deepEqual([answer.status, answer.headers.get("location")], [201, "/items/1"]);
    assert.deepEqual(answer.body, { got: { text: "tea" }, userId: "alice", requestId: "r-1" });
    const byApp = await ask("/items", { method: "POST", body: "1", headers: { "x-app-name": "com.example.clock" } });
    assert.deepEqual(byApp.body, { got: 1, appName: "com.example.clock" });
  });

  test("refuses bodies that are not JSON or too large", async () => {
    assert.equal((await ask("/items", { method: "POST", body: "{" })).status, 400);
    assert.equal((await ask("/items", { method: "POST" })).status, 400);
    const { status, body } = await ask("/items", { method: "POST", body: `"${"x".repeat(200)}"` });
    assert.deepEqual([status, body], [413, { error: "the body has more than 100 bytes" }]);
  });

  test("a handler reads the user, a number of the path and fields, or refuses the call", async () => {
    const put = async (number: string, body: object, headers: Record<string, string> = { "x-user-id": "ada" }) => {
      const response = await fetch(`${url}/own/${number}`, { method: "PUT", headers, body: JSON.stringify(body) });
      return [response.status, await response.json()];
    };
    assert.deepEqual(await put("2147483647", { title: " Tea " }), [200, ["ada", 2_147_483_647, "Tea"]]);
    for (const number of ["2147483648", "0", "1e3", "a"]) assert.equal((await put(number, { title: "Tea" }))[0], 404);
    assert.deepEqual(await put("1", { title: "" }), [400, { error: "title must have 1 to 5 characters" }]);
    assert.deepEqual(await put("1", { title: "Tea" }, { "x-app-name": "com.example.clock" }), [
      403,
      { error: "only a user may call this" },
    ]);
  });

  test("sends the message of an HttpError, but no details of other errors", async () => {
    assert.deepEqual(await ask("/gone").then(({ status, body }) => [status, body]), [410, { error: "it was removed" }]);
    const printed = mock.method(console, "error", () => {});
    assert.deepEqual(await ask("/broken").then(({ status, body }) => [status, body]), [500, { error: "an unexpected error" }]);
    assert.match(String(printed.mock.calls[0]?.arguments[0]), /password=secret/);
    printed.mock.restore();
  });

  test("responds to health checks with the result of the app's own check", async () => {
    assert.deepEqual(await ask("/health").then(({ status, body }) => [status, body]), [200, { status: "ok" }]);
    wellness = "the disk is full";
    const { status, body } = await ask("/health");
    assert.deepEqual([status, body], [503, { status: "unhealthy", error: "the disk is full" }]);
    wellness = undefined;
  });

  test("names the port that is in use", async () => {
    await assert.rejects(serveApp({ host, port: app.port, routes: {} }), {
      message: `port ${app.port} on ${host} is in use; set PORT to another`,
    });
  });

  test("refuses an invalid route", async () => {
    await assert.rejects(
      serveApp({ host, port: 0, routes: { "/items": () => ({}) } }),
      /"\/items" is not a route: expected "METHOD \/path"/,
    );
  });

  test("finishes active requests when it stops", async () => {
    const slow = fetch(`${url}/slow`);
    await slowCall.entered.promise;
    const stopped = app.stop();
    await assert.rejects(fetch(`${url}/health`));
    slowCall.released.resolve();
    assert.equal(await (await slow).json(), "done");
    await stopped;
  });
});

describe("stopOnSignals", () => {
  test("ends a backend with exit code 0 on SIGTERM", async () => {
    const { child, port } = await backend("routes: {}");
    assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });

  test("finishes requests, ends event streams, and closes WebSockets with 1001", async () => {
    const { child, port } = await backend(`
      routes: {
        "POST /slow": async ({ json }) => ({ json: await json() }),
        "GET /events": () => ({ events: (async function* () { yield { data: 1 }; await new Promise(() => {}); })() }),
      },
      onUpgrade: (_, socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n");
        // The client confirms the close frame by ending the connection.
        socket.on("data", () => socket.end());
      }`);
    const events = await fetch(`http://127.0.0.1:${port}/events`);
    const slow = request({ host, port, path: "/slow", method: "POST" });
    slow.write('"half ');
    const socket = connect(port, host);
    socket.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    const [head] = await once(socket, "data");
    assert.match(String(head), /^HTTP\/1\.1 101 /);

    const startedAt = performance.now();
    child.kill("SIGTERM");
    const [frame] = await once(socket, "data");
    assert.deepEqual([...(frame as Buffer)], [0x88, 0x02, 1001 >> 8, 1001 & 0xff]);
    socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    assert.equal(await events.text(), "data: 1\n\n");
    await assert.rejects(fetch(`http://127.0.0.1:${port}/health`));
    slow.end('done"');
    const [response] = await once(slow, "response");
    assert.equal(await text(response), '"half done"');
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.ok(performance.now() - startedAt < 5_000);
  });

  test("does not wait for a WebSocket whose client does not respond", async () => {
    const { child, port } = await backend(`
      routes: {},
      onUpgrade: (_, socket) => socket.write("HTTP/1.1 101 Switching Protocols\\r\\n\\r\\n")`);
    const socket = connect(port, host).on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    await once(socket, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
    socket.destroy();
  });

  test("ends the process after 9 s, before the platform kills it, if a request does not end", async () => {
    const { child, port } = await backend(`routes: { "GET /stuck": () => new Promise(() => {}) }`);
    const stuck = fetch(`http://127.0.0.1:${port}/stuck`).catch(() => {});
    await fetch(`http://127.0.0.1:${port}/health`);
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [0, null]);
    await stuck;
  });
});

/** Starts a backend with these options in a process of its own. */
async function backend(options: string) {
  const module = JSON.stringify(new URL("./serve-app.ts", import.meta.url).href);
  const script = `import { serveApp, stopOnSignals } from ${module};
    const app = await serveApp({ host: "127.0.0.1", port: 0, ${options} });
    stopOnSignals(app);
    console.log(app.port);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { child, port: Number(String(port)) };
}
