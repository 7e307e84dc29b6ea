const plainPath = /^(?:\/[A-Za-z0-9\-._~!$&'()*+,;=:@]*)+$/;
const escapedPath = /^(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})*)+$/;
/** Encoded slash, backslash, control characters: upstreams disagree on what they mean. */
const forbiddenEscape = /%(?:2f|5c|[01][0-9a-f]|7f)/i;
/** Also `/..;x`, which servlet containers read as `/..`. */
const dotSegment = /\/\.{1,2}(?:[/;]|$)/;
/** What an upstream decodes without a change of meaning. `;` and `+` mean something raw to some, so they stay. */
const harmless = /[A-Za-z0-9\-._~!$&'()*,=:@]/;

/**
 * The path with escapes of harmless characters resolved and all others in upper case: of two spellings of one path, one is left.
 * Throws RangeError for what two parsers could read in two ways: dot segments (encoded ones, too), encoded separators and
 * control characters, malformed escapes. Source: RFC 3986 §6.2.2.
 */
export function normalisePath(path: string): string {
  if (plainPath.test(path)) return path.includes("/.") ? withoutDotSegments(path) : path;
  if (!escapedPath.test(path))
    throw new RangeError("the path holds a malformed escape or a character that must be percent-encoded");
  if (forbiddenEscape.test(path)) throw new RangeError("the path holds an encoded slash, backslash or control character");
  if (!isUtf8(path)) throw new RangeError("the path holds escapes that are not UTF-8");
  return withoutDotSegments(withNormalEscapes(path));
}

const percent = 0x25;
const isHarmless = Array.from({ length: 256 }, (_, code) => harmless.test(String.fromCharCode(code)));

/** Byte by byte: a path may hold thousands of escapes, and a replacement by expression takes ten times as long for them. */
function withNormalEscapes(path: string): string {
  const bytes = Buffer.from(path, "latin1");
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== percent) {
      bytes[length++] = byte;
      continue;
    }
    const [high, low] = [upperCase(bytes[++at] ?? 0), upperCase(bytes[++at] ?? 0)];
    const code = hexDigit(high) * 16 + hexDigit(low);
    if (isHarmless[code]) {
      bytes[length++] = code;
    } else {
      bytes[length++] = percent;
      bytes[length++] = high;
      bytes[length++] = low;
    }
  }
  return bytes.toString("latin1", 0, length);
}

/** Of a hexadecimal digit's character code. */
function upperCase(code: number): number {
  return code >= 0x61 ? code - 0x20 : code;
}

/** Of the character code of a digit or a letter from A to F. */
function hexDigit(code: number): number {
  return code >= 0x41 ? code - 0x37 : code - 0x30;
}

function withoutDotSegments(path: string): string {
  if (dotSegment.test(path)) throw new RangeError("the path holds a dot segment");
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
