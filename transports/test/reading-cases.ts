import assert from "node:assert/strict";
import fc from "fast-check";
import { NodeReading, plainReading } from "./node-reading.ts";

const base = "/api/apps/demo";

/** Mostly what clients send, and sometimes something else. */
const usually = (...usual: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...usual);
const mostly = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 30 }, { arbitrary: odd, weight: 1 });

const anyByte = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 4 });
const oddText = fc.oneof(
  anyByte,
  fc.constantFrom("", " ", "\t", "\r", "\n", "\r\n", "\r\n\r\n", "\0", "\u007f", "\u0080", ":"),
);
const method = mostly(
  usually("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  usually("TRACE", "get", "G", "GETS", ""),
);
const target = mostly(
  usually(`${base}/x`, `${base}/x?a=b`, `${base}/%41`, `${base}/a//b`, "/apps/demo/assets/main.js"),
  fc.oneof(
    anyByte.map((text) => base + text),
    usually("*", "http://h/api/apps/demo/x", `${base}/ x`, "", `${base}/#x`, `${base}\\x`),
  ),
);
const version = mostly(
  usually("HTTP/1.1"),
  usually("HTTP/1.0", "HTTP/1.2", "HTTP/11", "http/1.1", "HTTP/2.0", "HTTP/1.1 ", ""),
);
const lineBreak = mostly(usually("\r\n"), usually("\n", "\r", "\r\r\n", "\n\r", " \r\n", "\r\n "));
const name = mostly(
  usually(
    "Accept",
    "cookie",
    "X-Some",
    "Content-Type",
    "Connection",
    "Content-Length",
    "Origin",
    "x-request-id",
    "Authorization",
  ),
  fc.oneof(
    anyByte,
    usually(
      "Transfer-Encoding",
      "Transfer_Encoding",
      "transfer-encoding ",
      " Host",
      "Host",
      "TE",
      "Upgrade",
      "Expect",
      "Trailer",
    ),
    usually("Proxy-Connection", "Keep-Alive", "HTTP2-Settings", "content_length", "Content-Length\0"),
  ),
);
const value = mostly(
  usually("a", "text/html", "keep-alive", "close", "a=b; c=d", "", "x".repeat(200), "a, b"),
  fc.oneof(oddText, usually("chunked", "Close", "close, x", "websocket", "100-continue", "3", "03", "+3", "3,3", "0x3", "3 3")),
);
const separator = mostly(usually(": ", ":", ":\t", ":   "), usually(" : ", "", "::", ":\r\n ", ":\0"));
const field = fc.tuple(name, separator, value, lineBreak).map((parts) => parts.join(""));
const body = fc.oneof(usually("", "abc", "GET / HTTP/1.1\r\n\r\n"), fc.string({ maxLength: 40 }));

/** The bytes of one request, as Latin-1: valid ones, and ones with something odd in any place. */
const request = fc
  .record({
    method,
    target,
    version,
    lineBreak,
    fields: fc.array(field, { maxLength: 6 }),
    body,
    end: lineBreak,
    isSized: fc.boolean(),
  })
  .map(({ method, target, version, lineBreak, fields, body, end, isSized }) => {
    const length = isSized && body !== "" ? `Content-Length: ${body.length}\r\n` : "";
    return `${method} ${target} ${version}${lineBreak}Host: h\r\n${fields.join("")}${length}${end}${isSized ? body : ""}`;
  });

const connection = fc.array(request, { minLength: 1, maxLength: 3 }).map((requests) => requests.join(""));

/** Checks with this number of drawn connections that Node's parser reads every plain request in the same way. Returns how many were plain. */
export async function compareReadings(count: number): Promise<number> {
  const node = new NodeReading();
  let plain = 0;
  const property = fc.asyncProperty(connection, async (text) => {
    plain += await sameReading(node, text);
  });
  await fc.assert(property, { numRuns: count });
  node.close();
  return plain;
}

/** Checks one connection. Returns the number of its plain requests. */
export async function sameReading(node: NodeReading, text: string): Promise<number> {
  const { requests, pieces } = plainReading(text);
  if (requests.length > 0) assert.deepEqual(await node.read(pieces), requests, JSON.stringify(text));
  return requests.length;
}
