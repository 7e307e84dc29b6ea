import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { app, route, TestProxy } from "./fakes.ts";

interface Seen {
  readonly status: string;
  /** Names in lower case. Several values of a name in their order. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

const ok = (headers: readonly string[], body = "ok") => ["HTTP/1.1 200 OK", ...headers, "", body].join("\r\n");
const length = "Content-Length: 2";
/** The bytes of UTF-8 as a reader of single bytes sees them. */
const utf8 = Buffer.from('attachment; filename="漏洞.txt"').toString("latin1");
const both = (name: string, first = "1", second = "2") => ok([`${name}: ${first}`, `${name}: ${second}`, length]);

/** Headers with one value each, of which Node's HTTP/2 refuses most if they are repeated. */
const singles = [
  ...["access-control-allow-credentials", "access-control-max-age", "access-control-request-method", "age", "authorization"],
  ...["content-disposition", "content-location", "content-md5", "content-range"],
  ...["content-type", "date", "dnt", "etag", "expires", "from", "host", "if-modified-since"],
  ...["if-range", "if-unmodified-since", "last-modified", "location", "max-forwards", "range", "referer", "retry-after", "tk"],
  ...["upgrade-insecure-requests", "user-agent"],
];

const lists = ["content-encoding", "content-language", "if-match", "if-none-match"];

/** What a backend sends, and what a caller gets: a status, and the values of one header. */
const heads: Readonly<Record<string, readonly [response: string, status: number, name?: string, ...values: string[]]>> = {
  "UTF-8 in Content-Disposition, behind the length": [
    ok([length, `Content-Disposition: ${utf8}`]),
    200,
    "content-disposition",
    utf8,
  ],
  "UTF-8 in Content-Disposition, before the length": [
    ok([`Content-Disposition: ${utf8}`, length]),
    200,
    "content-disposition",
    utf8,
  ],
  "Latin-1 in Content-Disposition": [
    ok([length, 'Content-Disposition: attachment; filename="\xe9.txt"']),
    200,
    "content-disposition",
    'attachment; filename="\xe9.txt"',
  ],
  "UTF-8 in Content-Disposition, in chunks": [
    ok([`Content-Disposition: ${utf8}`, "Transfer-Encoding: chunked"], "2\r\nok\r\n0\r\n\r\n"),
    200,
    "content-disposition",
    utf8,
  ],
  "every byte above ASCII": [ok([`X-Own: \x80${utf8}\xff`, length]), 200, "x-own", `\x80${utf8}\xff`],
  "an empty value": [ok(["X-Own:", length]), 200, "x-own", ""],
  "a header of several values": [both("Vary"), 200, "vary", "1", "2"],
  "several cookies": [
    both("Set-Cookie", "a=1", "b=2"),
    200,
    "set-cookie",
    "a=1; Path=/api/apps/demo",
    "b=2; Path=/api/apps/demo",
  ],
  "a header of an HTTP 2 connection": [ok(["HTTP2-Settings: AAMAAABk", "TE: gzip", length]), 200, "http2-settings"],
  "a name of objects": [ok(["__proto__: 1", "constructor: 2", length]), 200, "__proto__", "1"],
  "many headers": [ok([...Array.from({ length: 100 }, (_, n) => `X-H${n}: ${n}`), length]), 200, "x-h99", "99"],
  "a large head": [ok([`X-Own: ${"x".repeat(15_000)}`, length]), 200, "x-own", "x".repeat(15_000)],
  "a status without a meaning": [`HTTP/1.1 299 Odd\r\n${length}\r\n\r\nok`, 299],
  "205 with content, which it cannot have": [`HTTP/1.1 205 Reset Content\r\n${length}\r\n\r\nok`, 205],
  "205 without content": ["HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", 205],
  "a status above 599": [`HTTP/1.1 999 Odd\r\n${length}\r\n\r\nok`, 502],
  "a second length": [ok([length, length]), 502],
  "bare line feeds, on a connection that stays open": ["HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 502],
  "another protocol, on a connection that stays open": ["SSH-2.0-OpenSSH\r\n", 502],
  "a folded line, on a connection that stays open": ["HTTP/1.1 200 OK\r\nX-Own: 1\r\n folded\r\n", 502],
  ...Object.fromEntries(singles.map((name) => [`${name} twice`, [both(name), 200, name, "1"]])),
  ...Object.fromEntries(lists.map((name) => [`${name} in two lines`, [both(name), 200, name, "1, 2"]])),
};

function add(headers: Record<string, string[]>, name: string, value: string): void {
  headers[name] = [...(headers[name] ?? []), value];
}

/** Each has an app of its own, because failures open the circuit of an app. */
const failing = Object.keys(heads).filter((what) => heads[what]?.[1] === 502);
const appOf = (what: string): string => (failing.includes(what) ? `failing${failing.indexOf(what)}` : "demo");

describe("the head of a backend's response", () => {
  const proxy = new TestProxy();
  const backend: Server = createServer((socket) => {
    socket
      .on("error", () => {})
      .on("data", (data) => {
        const name = decodeURIComponent(/^\w+ \/(\S*)/.exec(data.toString("latin1"))?.[1] ?? "");
        socket.write(Buffer.from(heads[name]?.[0] ?? "", "latin1"));
      });
  });
  const http2 = createHttp2Server((request, response) => proxy.server.emit("request", request, response));
  let client: ReturnType<typeof connectHttp2>;

  before(async () => {
    await once(backend.listen(0, "127.0.0.1"), "listening");
    await once(http2.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
    const api = { routes: [route("/**", { timeoutMs: 60_000 })] };
    await proxy.start(...["demo", ...failing.map(appOf)].map((name) => app({ name, url, api })));
    client = connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`, { maxHeaderListPairs: 1_000 });
  });
  after(async () => {
    client.destroy();
    http2.close();
    await proxy.stop();
    backend.close();
  });

  const notPlain = "not_plain: x\r\n";
  const overHttp1 = (path: string, more = "") =>
    new Promise<Seen>((resolve, reject) => {
      let text = "";
      const socket = connect(proxy.port, "127.0.0.1", () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${more}\r\n`);
      });
      socket.on("data", (data) => (text += data.toString("latin1"))).on("error", reject);
      socket.on("end", () => {
        const [line = "", ...lines] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
        const headers: Record<string, string[]> = Object.create(null);
        for (const each of lines) {
          const at = each.indexOf(":");
          add(headers, each.slice(0, at).toLowerCase(), each.slice(at + 1).trim());
        }
        resolve({ status: line, headers, body: text.slice(text.indexOf("\r\n\r\n") + 4) });
      });
    });

  const overHttp2 = (path: string) =>
    new Promise<Seen>((resolve, reject) => {
      const stream = client.request({ ":path": path });
      const headers: Record<string, string[]> = Object.create(null);
      let status = "";
      let body = "";
      stream.on("response", (fields, _flags, raw: string[]) => {
        status = String(fields[":status"]);
        for (let i = 0; i < raw.length; i += 2) add(headers, raw[i] ?? "", raw[i + 1] ?? "");
      });
      stream.on("data", (data: Buffer) => (body += data.toString("latin1"))).on("error", reject);
      stream.on("end", () => resolve({ status, headers, body }));
    });

  const reasons: Readonly<Record<number, string>> = { 200: "OK", 205: "Reset Content", 299: "unknown", 502: "Bad Gateway" };
  for (const [what, [, status, name, ...values]] of Object.entries(heads)) {
    test(`${what}: ${status}, the same over HTTP/1.1 and HTTP/2`, { timeout: 10_000 }, async () => {
      const path = `/api/apps/${appOf(what)}/${encodeURIComponent(what)}`;
      const [plain, one, two] = [await overHttp1(path), await overHttp1(path, notPlain), await overHttp2(path)];
      for (const seen of [plain, one]) assert.equal(seen.status, `HTTP/1.1 ${status} ${reasons[status]}`);
      assert.equal(two.status, String(status));
      for (const seen of [plain, one, two]) {
        if (name !== undefined) assert.deepEqual(seen.headers[name] ?? [], values);
        if (status === 502) assert.match(seen.body, /does not send valid HTTP/);
        else assert.match(seen.body, status === 205 ? /^(?:0\r\n\r\n)?$/ : /^(?:ok|2\r\nok\r\n0\r\n\r\n)$/);
      }
    });
  }

  test("a head that only Node refuses is 502, the same over HTTP/1.1 and HTTP/2", { timeout: 10_000 }, async () => {
    const refuse = (_: IncomingMessage, response: ServerResponse): void => {
      const { writeHead } = response;
      response.writeHead = (status: number, headers: unknown) => {
        response.writeHead = writeHead;
        return response.writeHead(status, [...(headers as string[]), "x-own", "\u0100", "date", "1", "date", "2"]);
      };
    };
    proxy.server.prependListener("request", refuse);
    const path = "/api/apps/demo/an%20empty%20value";
    const [one, two] = [await overHttp1(path, notPlain), await overHttp2(path)];
    proxy.server.removeListener("request", refuse);
    assert.deepEqual([one.status, two.status], ["HTTP/1.1 502 Bad Gateway", "502"]);
    for (const { headers, body } of [one, two]) {
      assert.match(body, /does not send valid HTTP/);
      assert.deepEqual([headers["x-own"], headers["date"]?.length], [undefined, 1]);
    }
  });
});
