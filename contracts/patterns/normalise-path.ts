const plainPath = /^(?:\/[A-Za-z0-9\-._~!$&'()*+,;=:@]*)+$/;
/** Characters outside of RFC 3986 that browsers send in paths as they are (WHATWG URL), or that the query may hold. */
const unescaped = /["<>[\]^`{|}]/;
const escapedPath = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@"<>[\]^`{|}]|%[0-9A-Fa-f]{2})*)+$/;
/** Encoded slash, backslash and control characters. Upstreams interpret them differently. */
const forbiddenEscape = /%(?:2f|5c|[01][0-9a-f]|7f)/i;
/** Includes `/..;x`, which servlet containers read as `/..`. */
const dotSegment = /\/\.{1,2}(?:[/;]|$)/;
/** Characters that can be decoded without a change of meaning. Some upstreams treat raw `;` and `+` specially, so not these. */
const harmless = /[A-Za-z0-9\-._~!$&'()*,=:@]/;

/**
 * Returns the one normal spelling of a path: escapes of harmless characters are decoded, all other escapes are in upper case, and
 * characters that need an escape have one.
 * Throws RangeError for paths that two parsers could read differently: dot segments (also encoded), encoded separators and
 * control characters, malformed escapes. Source: RFC 3986 §6.2.2.
 */
export function normalisePath(path: string): string {
  if (plainPath.test(path)) return path.includes("/.") ? withoutDotSegments(path) : path;
  if (!escapedPath.test(path))
    throw new RangeError("the path contains a malformed escape or a character that must be percent-encoded");
  if (forbiddenEscape.test(path)) throw new RangeError("the path contains an encoded slash, backslash or control character");
  if (!isUtf8(path)) throw new RangeError("the path contains escapes that are not UTF-8");
  return withoutDotSegments(withNormalEscapes(path));
}

const percent = 0x25;
const hexDigits = Buffer.from("0123456789ABCDEF");
const isUnescaped = Array.from({ length: 256 }, (_, code) => unescaped.test(String.fromCharCode(code)));
const isHarmless = Array.from({ length: 256 }, (_, code) => harmless.test(String.fromCharCode(code)));

/** Works byte by byte: a path may contain thousands of escapes, and replacing by regular expression takes ten times as long. */
function withNormalEscapes(path: string): string {
  const bytes = Buffer.from(path, "latin1");
  const normal = unescaped.test(path) ? Buffer.allocUnsafe(3 * bytes.length) : bytes;
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let code = bytes[at] ?? 0;
    if (code === percent) code = hexDigit(bytes[++at]) * 16 + hexDigit(bytes[++at]);
    else if (!isUnescaped[code]) {
      normal[length++] = code;
      continue;
    }
    if (isHarmless[code]) {
      normal[length++] = code;
    } else {
      normal[length++] = percent;
      normal[length++] = hexDigits[code >> 4] ?? 0;
      normal[length++] = hexDigits[code & 15] ?? 0;
    }
  }
  return normal.toString("latin1", 0, length);
}

/** Returns the value of the character code of a hexadecimal digit. */
function hexDigit(code = 0): number {
  return code >= 0x41 ? (code | 0x20) - 0x57 : code - 0x30;
}

function withoutDotSegments(path: string): string {
  if (dotSegment.test(path)) throw new RangeError("the path contains a dot segment");
  return path;
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
