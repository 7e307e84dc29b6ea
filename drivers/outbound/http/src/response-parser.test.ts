import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KnownHeads } from "./known-heads.ts";
import { ResponseError } from "./response-fields.ts";
import { type ResponseEvents, ResponseParser } from "./response-parser.ts";

/** Writes down what a parser reports. */
class Written implements ResponseEvents {
  readonly parts: string[] = [];
  body = "";

  onHead(status: number, headers: readonly string[]): void {
    this.parts.push(`${status} ${headers.join("|")}`);
  }

  onBody(bytes: Buffer): void {
    this.body += bytes.toString("latin1");
  }

  onComplete(isReusable: boolean): void {
    this.parts.push(isReusable ? "reusable" : "over");
  }

  onSwitch(headers: readonly string[], rest: Buffer): void {
    this.parts.push(`switch ${headers.join("|")} ${rest.toString("latin1")}`);
  }
}

/** Parses a response that arrives in pieces of `size` bytes. */
function parsed(text: string, { method = "GET", maySwitch = false, size = text.length } = {}): Written {
  const written = new Written();
  const parser = new ResponseParser(written, new KnownHeads());
  parser.expect(method, maySwitch);
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) parser.read(Buffer.from(bytes.subarray(at, at + size)));
  if (parser.end()) written.parts.push("ended");
  return written;
}

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

describe("a response is read the same in one piece and byte by byte", () => {
  const responses: readonly (readonly [what: string, text: string, parts: readonly string[], body: string, method?: string])[] =
    [
      [
        "counted",
        "HTTP/1.1 200 OK\r\nX-A: 1\r\nCONTENT-LENGTH:  4 \r\n\r\nbody",
        ["200 x-a|1|content-length|4", "reusable"],
        "body",
      ],
      ["empty", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ["200 content-length|0", "reusable"], ""],
      ["of HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", ["200 content-length|4", "reusable"], "", "HEAD"],
      ["204", "HTTP/1.1 204 No Content\r\n\r\n", ["204 ", "reusable"], ""],
      ["304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", ["304 content-length|9", "reusable"], ""],
      [
        "chunked",
        `${chunked}4\r\nbo\r\n\r\n00000000000000000000A ; x="y"\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n`,
        ["200 transfer-encoding|chunked", "reusable"],
        "bo\r\n0123456789",
      ],
      ["until the end", "HTTP/1.1 200 OK\r\n\r\nall of it", ["200 ", "over", "ended"], "all of it"],
      [
        "closing",
        "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 1\r\n\r\na",
        ["200 connection|x, Close|content-length|1", "over"],
        "a",
      ],
      ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", ["200 content-length|1", "over"], "a"],
      [
        "HTTP/1.0, kept",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na",
        ["200 connection|keep-alive|content-length|1", "reusable"],
        "a",
      ],
      [
        "after interim responses",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
        ["200 content-length|1", "reusable"],
        "a",
      ],
      [
        "bytes above ASCII",
        "HTTP/1.1 200 \xe9\r\nX-A: \xa0\xe9\xa0\r\nContent-Length: 0\r\n\r\n",
        ["200 x-a|\xa0\xe9\xa0|content-length|0", "reusable"],
        "",
      ],
    ];
  for (const [what, text, parts, body, method = "GET"] of responses)
    test(what, () => {
      for (const size of [text.length, 1, 7]) {
        const written = parsed(text, { method, size });
        assert.deepEqual([written.parts, written.body], [parts, body], `in pieces of ${size}`);
      }
    });
});

test("the chunks of one read are passed on together, however short they are", () => {
  const pieces: string[] = [];
  const events = { onHead: () => {}, onComplete: () => pieces.push("over"), onSwitch: () => {} };
  const parser = new ResponseParser({ ...events, onBody: (bytes) => pieces.push(bytes.toString("latin1")) }, new KnownHeads());
  parser.expect("GET", false);
  const bytes = Buffer.from(`${chunked}1\r\na\r\n2;x=y\r\nbc\r\n0003\r\ndef\r\n4\r\ngh`);
  parser.read(bytes);
  parser.read(Buffer.from("ij\r\n1\r\nk\r\n0\r\n\r\n"));
  assert.deepEqual(pieces, ["abcdefgh", "ijk", "over"]);
});

test("the bytes after a switch of protocols belong to the other protocol", () => {
  const text = "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\nfirst";
  assert.deepEqual(parsed(text, { maySwitch: true }).parts, ["switch upgrade|websocket first"]);
  assert.throws(() => parsed(text), ResponseError);
});

test("a connection with bytes behind a response is not used again", () => {
  const written = new Written();
  const parser = new ResponseParser(written, new KnownHeads());
  parser.expect("GET", false);
  assert.throws(
    () => parser.read(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n")),
    ResponseError,
  );
  assert.deepEqual(written.parts, ["200 content-length|1", "over"]);
});

describe("what two parsers could read in two ways is refused", () => {
  const ok = "HTTP/1.1 200 OK\r\n";
  for (const [what, text] of Object.entries({
    "two lengths": `${ok}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
    "a list of lengths": `${ok}Content-Length: 1, 1\r\n\r\na`,
    "a signed length": `${ok}Content-Length: +1\r\n\r\na`,
    "a hexadecimal length": `${ok}Content-Length: 0x1\r\n\r\na`,
    "a length with a coding": `${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "another coding": `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    "a coding twice": `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "chunks in HTTP/1.0": "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a blank before the colon": `${ok}Content-Length : 1\r\n\r\na`,
    "a folded header": `${ok}X-A: 1\r\n folded\r\nContent-Length: 0\r\n\r\n`,
    "no colon": `${ok}nonsense\r\n\r\n`,
    "an empty name": `${ok}: 1\r\n\r\n`,
    "a bare line feed": `${ok}X-A: 1\nContent-Length: 0\r\n\r\n`,
    "a bare carriage return": `${ok}X-A: 1\rX-B: 2\r\nContent-Length: 0\r\n\r\n`,
    "a NUL": `${ok}X-A: \0\r\n\r\n`,
    "another version": "HTTP/2.0 200 OK\r\n\r\n",
    "a status of two digits": "HTTP/1.1 20 OK\r\n\r\n",
    "a line before the status": "\r\nHTTP/1.1 200 OK\r\n\r\n",
    "no size of a chunk": `${chunked}\r\n\r\n`,
    "a negative size": `${chunked}-1\r\na\r\n0\r\n\r\n`,
    "a size with a prefix": `${chunked}0x1\r\na\r\n0\r\n\r\n`,
    "a chunk longer than its size": `${chunked}1\r\nab\r\n0\r\n\r\n`,
    "a chunk line with a bare line feed": `${chunked}1\na\r\n0\r\n\r\n`,
    "an endless head": `${ok}${"X-A: 1\r\n".repeat(3_000)}`,
    "an endless chunk line": `${chunked}1;${"x".repeat(3_000)}`,
    "endless trailers": `${chunked}0\r\n${"X-T: 1\r\n".repeat(3_000)}`,
    "a status above 599": `HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n`,
    "a trailer without a colon": `${chunked}0\r\nnot a field\r\n\r\n`,
    "a trailer with a blank before the colon": `${chunked}0\r\nX-T : 1\r\n\r\n`,
    "a folded trailer": `${chunked}0\r\nX-T: 1\r\n folded\r\n\r\n`,
    "a length as trailer": `${chunked}0\r\nContent-Length: 5\r\n\r\n`,
    "a coding as trailer": `${chunked}0\r\nTransfer-Encoding: chunked\r\n\r\n`,
    "a second status line as trailer": `${chunked}0\r\nHTTP/1.1 200 OK\r\nX-T: 1\r\n\r\n`,
    "half a head": "HTTP/1.1 200 OK\r\nX-A",
  }))
    test(what, () => {
      for (const size of [text.length, 1]) assert.throws(() => parsed(text, { size }), ResponseError, `in pieces of ${size}`);
    });
});

describe("a head is refused as soon as a part of it is wrong", () => {
  for (const [what, text] of Object.entries({
    "another protocol": "SSH-2",
    "another version": "HTTP/2",
    "a status line without a status": "HTTP/1.1 OK\r\n",
    "bare line feeds": "HTTP/1.1 200 OK\n",
    "a bare line feed in a header": "HTTP/1.1 200 OK\r\nX-A: 1\r\nX-B: 2\n",
    "a bare carriage return": "HTTP/1.1 200 OK\r\nX-A: 1\rX",
    "a control character": "HTTP/1.1 200 OK\r\nX-A: \0",
    "a folded line": "HTTP/1.1 200 OK\r\nX-A: 1\r\n folded\r\n",
    "no colon": "HTTP/1.1 200 OK\r\nX-A\r\n",
    "an interim response before it": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\n",
  }))
    test(what, () => {
      for (const size of [text.length, 1]) {
        const parser = new ResponseParser(new Written(), new KnownHeads());
        parser.expect("GET", false);
        const bytes = Buffer.from(text, "latin1");
        assert.throws(() => {
          for (let at = 0; at < bytes.length; at += size) parser.read(Buffer.from(bytes.subarray(at, at + size)));
        }, ResponseError);
      }
    });
});

test("what a connection knows of earlier heads does not change how the next one is read", () => {
  const length = "Content-Length: 0\r\n";
  const heads = [
    `A: 1\r\n${length}B: 2\r\n`,
    `A: 1\r\n${length}B: 2\r\n`,
    `a: 1\r\n${length}B: 22\r\n`,
    `A: 1\r\nA: 1\r\n${length}B: 2\r\nConnection: Keep-Alive\r\n`,
    `${length}`,
    `A: 1 \r\n${length}Connection: close\r\n`,
    `A: 1\r\n${length}B: 2\r\n`,
  ].map((lines) => `HTTP/1.1 200 OK\r\n${lines}\r\n`);
  const written = new Written();
  const parser = new ResponseParser(written, new KnownHeads());
  for (const head of heads) {
    parser.expect("GET", false);
    parser.read(Buffer.from(head));
  }
  assert.deepEqual(
    written.parts,
    heads.flatMap((head) => parsed(head).parts),
  );
  for (const broken of [`A: 1\r\n${length}${length}`, `A: 1\r\n${length}B: \x01\r\n`, `A: 1\r\n${length}B: 2\rC\r\n`]) {
    parser.expect("GET", false);
    assert.throws(() => parser.read(Buffer.from(`HTTP/1.1 200 OK\r\n${broken}\r\n`)), ResponseError);
  }
});

test("what was derived from a head comes with the next one of the backend that is the same, on any connection", () => {
  const heads = new KnownHeads();
  const derivedOf = (text: string): Map<object, unknown> | undefined => {
    let found: Map<object, unknown> | undefined;
    const events = { onBody: () => {}, onComplete: () => {}, onSwitch: () => {} };
    const parser = new ResponseParser({ ...events, onHead: (_status, _headers, derived) => (found = derived) }, heads);
    parser.expect("GET", false);
    parser.read(Buffer.from(text));
    return found;
  };
  const text = "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 0\r\n\r\n";
  const key = {};
  assert.equal(derivedOf(text), undefined);
  derivedOf(text)?.set(key, "derived");
  assert.equal(derivedOf(text)?.get(key), "derived");
  assert.equal(derivedOf(text.replace("1\r", "2\r")), undefined);
});
