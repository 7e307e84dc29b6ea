import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type PlainFields, parsePlainHead } from "./plain-head.ts";

const start = "GET /api/apps/a/b HTTP/1.1\r\nHost: h\r\n";

describe("plain heads", () => {
  test("a head is read with its names as sent, and its values without blanks around them", () => {
    const text = `POST /api/apps/a/b?q=%20 HTTP/1.1\r\nHost: h:1\r\nX-Some:\t a  b \t\r\nempty:\r\ncontent-length: 3\r\n\r\nabc`;
    assert.deepEqual(parsePlainHead(text), {
      method: "POST",
      target: "/api/apps/a/b?q=%20",
      fields: {
        text: "Host: h:1\r\nX-Some:\t a  b \t\r\nempty:\r\ncontent-length: 3\r\n",
        list: ["Host", "h:1", "X-Some", "a  b", "empty", "", "content-length", "3"],
        names: ["host", "x-some", "empty", "content-length"],
        bodyBytes: 3,
        closes: false,
        derived: undefined,
      },
      bytes: text.length - 3,
    });
    assert.equal(parsePlainHead(`${start}Connection: Close\r\n\r\n`)?.fields.closes, true);
    assert.equal(parsePlainHead(`${start}Connection: keep-alive\r\n\r\n`)?.fields.closes, false);
  });

  test("what was derived from fields is for the next request with the same ones, and for no other", () => {
    const first = parsePlainHead(`${start}A: 1\r\n\r\n`)?.fields;
    assert.equal(first?.derived, undefined);
    const second = parsePlainHead(`POST /api/apps/a/c HTTP/1.1\r\nHost: h\r\nA: 1\r\n\r\n`, first)?.fields;
    assert.equal(second, first);
    assert.ok(second?.derived);
    for (const others of ["A: 2\r\n", "A: 1 \r\n", "a: 1\r\n", "A: 1\r\nB: 2\r\n", ""]) {
      const next: PlainFields | undefined = parsePlainHead(`${start}${others}\r\n`, second)?.fields;
      assert.ok(next && next !== second);
      assert.equal(next.derived, undefined);
    }
  });

  const refused: readonly (readonly [string, string])[] = [
    ["an incomplete head", start],
    ["a line break alone", `${start}A: b\nC: d\r\n\r\n`],
    ["a carriage return alone", `${start}A: b\rC: d\r\n\r\n`],
    ["a folded line", `${start}A: b\r\n c\r\n\r\n`],
    ["an empty name", `${start}: b\r\n\r\n`],
    ["a blank before the colon", `${start}A : b\r\n\r\n`],
    ["a line without a colon", `${start}A\r\n\r\n`],
    ["a name with an underscore", `${start}a_b: c\r\n\r\n`],
    ["a byte above ASCII in a name", `${start}\u00e4: c\r\n\r\n`],
    ["a byte above ASCII in a value", `${start}a: \u00e4\r\n\r\n`],
    ["a control character in a value", `${start}a: \u0000\r\n\r\n`],
    ["an empty line first", `\r\n${start}\r\n`],
    ["two names of the host", `${start}host: h\r\n\r\n`],
    ["no host", "GET /api/apps/a/b HTTP/1.1\r\nA: b\r\n\r\n"],
    ["a repeated header", `${start}A: b\r\na: b\r\n\r\n`],
    ["two lengths", `${start}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
    ["a signed length", `${start}Content-Length: +1\r\n\r\na`],
    ["a list of lengths", `${start}Content-Length: 1, 1\r\n\r\na`],
    ["a transfer coding", `${start}Transfer-Encoding: chunked\r\n\r\n`],
    ["TE", `${start}TE: trailers\r\n\r\n`],
    ["a trailer", `${start}Trailer: x\r\n\r\n`],
    ["an upgrade", `${start}Upgrade: websocket\r\n\r\n`],
    ["an expectation", `${start}Expect: 100-continue\r\n\r\n`],
    ["settings of HTTP/2", `${start}HTTP2-Settings: x\r\n\r\n`],
    ["a header of proxies", `${start}Proxy-Authorization: x\r\n\r\n`],
    ["another option of the connection", `${start}Connection: close, x-user\r\n\r\n`],
    ["HTTP/1.0", "GET /api/apps/a/b HTTP/1.0\r\nHost: h\r\n\r\n"],
    ["another method", "TRACE /api/apps/a/b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["a method in lower case", "get /api/apps/a/b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["an absolute target", "GET http://h/api/apps/a/b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["two blanks before the target", "GET  /api/apps/a/b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["two blanks before the version", "GET /api/apps/a/b  HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["a blank in the target", "GET /api/apps/a b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["a tab in the target", "GET /api/apps/a\tb HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["a backslash in the target", "GET /api/apps/a\\b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["a fragment in the target", "GET /api/apps/a#b HTTP/1.1\r\nHost: h\r\n\r\n"],
    ["a head that is too large", `${start}A: ${"b".repeat(16_384)}\r\n\r\n`],
    ["too many headers", `${start}${Array.from({ length: 64 }, (_, index) => `x${index}: y\r\n`).join("")}\r\n`],
  ];
  for (const [what, text] of refused) {
    test(`${what} is for the other parser`, () => assert.equal(parsePlainHead(text), undefined));
  }
});
