/**
 * Headers that hold one value (RFC 9110 §5.5). If a backend repeats one, the first is forwarded: clients would each choose
 * another one.
 */
const singleValued: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-max-age",
  "access-control-request-method",
  "age",
  "authorization",
  "content-disposition",
  "content-location",
  "content-md5",
  "content-range",
  "content-type",
  "date",
  "dnt",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "range",
  "referer",
  "retry-after",
  "tk",
  "upgrade-insecure-requests",
  "user-agent",
]);

/** Lists that HTTP/2 of Node sends as one line only. */
const oneLine: ReadonlySet<string> = new Set(["content-encoding", "content-language", "if-match", "if-none-match"]);

/**
 * Appends a header to name, value, … so that the result can be sent over every version of HTTP: HTTP/2 of Node refuses a head in
 * which one of these names is repeated.
 */
export function appendOnce(headers: string[], name: string, value: string): void {
  const isList = oneLine.has(name);
  if (isList || singleValued.has(name)) {
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i] !== name) continue;
      if (isList) headers[i + 1] += `, ${value}`;
      return;
    }
  }
  headers.push(name, value);
}
